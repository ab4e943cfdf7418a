"""Random streams, each keyed by what it is for, so that no draw depends on who else draws or in which order.

A stream's seed is a hash of (problem seed, round, purpose[, names …]); two ecologies of one problem therefore share
every exogenous draw, and adding a stream moves no other (the idea of starsim's named distributions).
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

import numpy as np

_KEY_TEXT: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True)


def stream(seed: int, round_number: int, purpose: str, *names: str | int) -> np.random.Generator:
    """Open the random stream of one purpose.

    Args:
        seed: the problem's seed.
        round_number: 1-based; 0 for a draw that holds for the whole game.
        purpose: what is drawn, such as "lead".
        names: finer keys, such as a material, a vendor and a day.
    """
    key = _KEY_TEXT.encode([seed, round_number, purpose, *names])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest()[:16], "big"))
