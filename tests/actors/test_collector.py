"""Dead cycles are looked for seldom, and never among what was there before."""

import gc

from actors.collector import COLLECT_AFTER, collect_seldom


def test_what_is_there_is_left_out_and_the_rest_is_looked_at_seldom() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        collect_seldom()
        assert gc.get_threshold() == COLLECT_AFTER
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
