"""Mixed: any list of policies of any length from two, the same policy in several seats if it is listed so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecologies.ecology import RULE_NAMES, Market, lineup_digest, market_id
from ecologies.policy import PolicySpec
from erpsim.errors import WorkError

FIRMS_MINIMUM: Final = 2
FIRMS_MAXIMUM: Final = 10_000
SHOWN_CHARACTERS: Final = 60
"""Length to which a message repeats an item of a line-up."""


def mixed_market(problem_id: str, seats: Sequence[PolicySpec], trial: int = 0) -> Market:
    """Build the market of a line-up on one problem.

    Raises:
        WorkError: the line-up has fewer than two firms, or more than 10,000.
    """
    if len(seats) < FIRMS_MINIMUM:
        raise WorkError(f"a line-up of {len(seats)} is no market; name at least {FIRMS_MINIMUM} policies")
    if len(seats) > FIRMS_MAXIMUM:
        raise WorkError(f"a line-up of {len(seats):,} is too long; name at most {FIRMS_MAXIMUM:,} policies")
    digest = lineup_digest(seats)
    identity = market_id("mixed", digest, problem_id, trial=trial)
    return Market(identity, "mixed", digest, trial, problem_id, tuple(seats))


def parse_lineup(text: str, models: Sequence[PolicySpec]) -> tuple[PolicySpec, ...]:
    """Read a line-up such as `standin/a*2,balanced,growth` into seats.

    Args:
        text: labels of models and names of rules, separated by commas; `label*3` takes three seats.
        models: the run's models.

    Raises:
        WorkError: an unknown label, a count below 1, fewer than two seats, or more than 10,000.
    """
    known = {name: PolicySpec("rule", name) for name in RULE_NAMES} | {spec.label: spec for spec in models}
    seats: list[PolicySpec] = []
    for part in text.split(","):
        label, _, count = part.strip().rpartition("*") if "*" in part else (part.strip(), "", "1")
        if label.strip() not in known:
            raise WorkError(f"unknown policy {label.strip()!r} in the line-up; known: {', '.join(known)}")
        seats += [known[label.strip()]] * _count(count.strip(), part.strip())
        if len(seats) > FIRMS_MAXIMUM:
            raise WorkError(f"the line-up has {len(seats):,} seats by {_short(part.strip())}; {_MEND}")
    if len(seats) < FIRMS_MINIMUM:
        raise WorkError(f"the line-up {text!r} has {len(seats)} seat; name at least {FIRMS_MINIMUM}")
    return tuple(seats)


_MEND: Final = f"a market has at most {FIRMS_MAXIMUM:,}: name fewer"


def _count(text: str, part: str) -> int:
    """Seats that an item of a line-up takes; a number too long to be read is refused by its length."""
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdecimal() and digits):
        raise WorkError(f"{_short(part)} in the line-up takes no number of seats; write label*2")
    if len(digits) > len(str(FIRMS_MAXIMUM)):
        raise WorkError(f"{_short(part)} in the line-up takes too many seats; {_MEND}")
    return int(digits)


def _short(part: str) -> str:
    return repr(part if len(part) <= SHOWN_CHARACTERS else part[: SHOWN_CHARACTERS - 1] + "…")
