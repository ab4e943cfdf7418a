"""How seldom a process that plays looks for dead cycles; apart from Ray, so that a benchmark can be like an actor."""

from __future__ import annotations

import gc
from typing import Final

COLLECT_AFTER: Final = (50_000, 20, 100)
"""Objects made after which a process looks for dead cycles, and looks after which it looks among older ones."""


def collect_seldom() -> None:
    """Have Python look for dead cycles seldom, and never among what is loaded now.

    An actor holds many thousand living objects; looking through them all took a tenth of its time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
