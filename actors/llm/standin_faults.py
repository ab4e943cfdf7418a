"""Which fault of the stand-in server meets which request.

A fault of the network is a function of the request's body and of how often that body came before. A fault of the reply
is one of the conversation's opening alone, so that a reply that is asked for twice is the same twice, and a decision
that goes wrong goes wrong in one way.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from actors.llm.standin_kinds import NETWORK, REPLY
from erpsim.errors import ModelsError

_GIVEN: Final = re.compile(r"(?P<kind>[a-z0-9_]+)(@(?P<attempts>[1-9][0-9]{0,3}))?=(?P<chance>[0-9.eE+-]+)")


class Chance(NamedTuple):
    """How often a fault is played: on which share of requests or conversations, and up to which attempt."""

    share: float  # 0-1
    attempts: float = math.inf


Faults = Mapping[str, Chance]
"""Chances by kind."""


def read_faults(texts: Sequence[str]) -> dict[str, Chance]:
    """Chances by kind, from texts such as `429=0.1`, or `429@2=1` for the first two attempts at a request only.

    Raises:
        ModelsError: an unknown kind, no chance or one outside 0-1, a kind that stands twice, attempts of a reply, or
            chances above 1 in all.
    """
    chances: dict[str, Chance] = {}
    for text in texts:
        kind, chance = _read(text)
        if kind in chances:
            raise ModelsError(
                f"fault {text!r}: {kind} has a chance of {chances[kind].share:g} already; name each kind once"
            )
        chances[kind] = chance
    for name, kinds in (("network", NETWORK), ("reply", REPLY)):
        total = sum(chance.share for kind, chance in chances.items() if kind in kinds)
        if total > 1.0 + 1e-9:
            raise ModelsError(f"the chances of all {name} faults come to {total:g}; they may come to 1")
    return chances


def draw_network(faults: Faults, raw: bytes, attempt: int, seed: int) -> str | None:
    """The fault of the network that meets one attempt at one body, if any; `attempt` counts from 1."""
    drawn = _draw(faults, NETWORK, f"{seed} {attempt} ".encode() + raw)
    return drawn if drawn is not None and attempt <= faults[drawn].attempts else None


def draw_reply(faults: Faults, opening: bytes, seed: int) -> str | None:
    """The fault of the replies in one conversation, if any; `opening` names the conversation."""
    return _draw(faults, REPLY, f"{seed} reply ".encode() + opening)


def _read(text: str) -> tuple[str, Chance]:
    given = _GIVEN.fullmatch(text)
    kind = given["kind"] if given else ""
    share = _number(given["chance"]) if given else math.nan
    if given is None or (kind not in NETWORK and kind not in REPLY) or not 0.0 <= share <= 1.0:
        raise ModelsError(
            f"fault {text!r} is none; write KIND=CHANCE or KIND@ATTEMPTS=CHANCE with a chance of 0-1, "
            f"kinds: {', '.join((*NETWORK, *REPLY))}"
        )
    if given["attempts"] and kind in REPLY:
        raise ModelsError(f"fault {text!r}: a reply is the same at each attempt; leave '@{given['attempts']}' out")
    return kind, Chance(share, float(given["attempts"] or math.inf))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _draw(faults: Faults, kinds: Mapping[str, str], key: bytes) -> str | None:
    point = int.from_bytes(hashlib.sha256(key).digest()[:8], "big") / 2.0**64
    for kind, chance in faults.items():
        if kind not in kinds:
            continue
        if point < chance.share:
            return kind
        point -= chance.share
    return None
