"""Measures and shows what each main parameter moves when it is a fifth lower or higher."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final, NamedTuple

from ecologies.calibration.points import CONSTRAINTS, WIN_SHARES
from ecologies.calibration.sensitivity import ALTERATIONS, SIDES
from ecologies.ecology import RULE_NAMES
from ecologies.yardsticks.store import DATA
from tests.docs.calibration_stamp import fits, of_shipped_panel, where_from
from tests.docs.pages import ROOT
from tests.docs.rules_text import table

PATH: Final = DATA / "sensitivity.json"
PROBLEMS: Final = 50
ZERO: Final = re.compile(r"[+-]0(?:\.0)?(?=%|$)")
"""A change that rounding leaves nothing of."""
STILL: Final = 0.001
"""Change of the median below which a parameter is said not to move it."""

WORDS: Final = """\
## Sensitivity

Each main parameter a fifth lower, then a fifth higher, all else alike: {problems} problems of the shipped panel, spread
over the strata, are played again by the five rules, which do not know of it but by what they observe. The figure shows
the change of the median valuation, {base:.1f} M as it is. In the table, *other winner* counts the problems that another
of the five rules wins than before, *most wins* names the rule that wins most and its share of the problems ({top} as it
is), and the last columns are changes, in percentage points, of the share of firm-rounds in which a constraint binds
({binding} as it is). Each pair is lower / higher.

![Change of the median valuation by parameter](calibration/tornado.svg)"""

READING: Final = """\
How to read it. {first} move the median most: the valuations' level comes from prices, the market and the rates, and
it is the level of a game, not of an industry.

{still} move it by less than a tenth of a per cent either way: no rule's firm is worth more in pieces, and growth is at
its cap whatever is retained.

Storage binds often, and a fifth on what overstock costs moves the median by {storage:.1%} at most: its charge is a mark
of what a firm holds rather than a price that it must pay. For a user: a charge of overstock tells two plays apart, but
not a good one from a bad one.

Another winner is more frequent than a large change of the median. The five rules lie close together, so that who wins
a single problem is easily overturned. {most}"""
MOST: Final = (
    "Point 3's band, no rule above {limit:.0%}, would be missed on these problems with {beyond}.",
    "In no alteration would a rule win more than point 3's {limit:.0%} of these problems.",
)


class Top(NamedTuple):
    """The rule that wins most."""

    rule: str
    share: float  # of the problems


class Moved(NamedTuple):
    """What one parameter moves, each pair lower then higher."""

    name: str
    median: tuple[float, float]  # relative change of the median valuation
    winners: tuple[int, int]  # problems that another rule wins
    top: tuple[Top, Top]
    bindings: dict[str, tuple[float, float]]  # change of the share of firm-rounds

    @property
    def reach(self) -> float:
        """The larger of the two changes of the median."""
        return max(map(abs, self.median))


def measure_sensitivity(path: Path) -> None:
    """Play every alteration that the file does not have yet, each in a process of its own."""
    stamp = of_shipped_panel(PROBLEMS)
    kept = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    found: dict[str, Any] = kept if fits(kept, stamp) else {**stamp, "outcomes": {}}
    outcomes = found["outcomes"]
    for name, side in (("", "low"), *((name, side) for name in ALTERATIONS for side in SIDES)):
        if side not in outcomes.setdefault(name, {}):
            outcomes[name][side] = played(name, side)
            path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "ascii")
            sys.stdout.write(f"sensitivity {name or 'as it is'} {side}\n")
            sys.stdout.flush()


def played(name: str, side: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "ecologies.calibration.sensitivity", name, side, "--problems", str(PROBLEMS)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    outcome: dict[str, Any] = json.loads(ran.stdout)
    return outcome


def moved(path: Path = PATH) -> tuple[Moved, ...]:
    """What each parameter moves, the farthest-reaching first."""
    outcomes = json.loads(path.read_text(encoding="ascii"))["outcomes"]
    base = outcomes.pop("")["low"]
    rows = [_moved(name, [ours[side] for side in SIDES], base) for name, ours in outcomes.items()]
    return tuple(sorted(rows, key=lambda row: -row.reach))


def _moved(name: str, ours: list[dict[str, Any]], base: dict[str, Any]) -> Moved:
    low, high = ours
    return Moved(
        name,
        (low["median"] / base["median"] - 1, high["median"] / base["median"] - 1),
        (_others(low, base), _others(high, base)),
        (_top(low), _top(high)),
        {one: (low["bindings"][one] - base["bindings"][one], high["bindings"][one] - base["bindings"][one])
         for one in CONSTRAINTS.values()},
    )  # fmt: skip


def _others(ours: dict[str, Any], base: dict[str, Any]) -> int:
    return sum(mine != theirs for mine, theirs in zip(ours["winners"], base["winners"], strict=True))


def _top(ours: dict[str, Any]) -> Top:
    ((rule, won),) = Counter(ours["winners"]).most_common(1)
    return Top(RULE_NAMES[rule], won / len(ours["winners"]))


def section(path: Path = PATH) -> str:
    """The section of the calibration page."""
    found = json.loads(path.read_text(encoding="ascii"))
    base, rows = found["outcomes"][""]["low"], moved(path)
    words = WORDS.format(
        problems=found["problems"],
        base=base["median"] / 1e6,
        top="{} {:.0%}".format(*_top(base)),
        binding=", ".join(f"{one} {base['bindings'][one]:.0%}" for one in CONSTRAINTS.values()),
    )
    head = ["parameter", "altered by", "median", "other winner", "most wins", *CONSTRAINTS.values()]
    return "\n\n".join([words, *where_from(found), table(head, [_shown(row) for row in rows], left=2), _reading(rows)])


def _shown(row: Moved) -> list[str]:
    return [
        row.name,
        ALTERATIONS[row.name].steps or "a fifth",
        _pair(row.median, "{:+.1%}"),
        _pair(row.winners, "{}"),
        " / ".join("{} {:.0%}".format(*one) for one in row.top),
        *(_pair([100 * one for one in row.bindings[name]], "{:+.0f}") for name in CONSTRAINTS.values()),
    ]


def _pair(values: Sequence[float], form: str) -> str:
    return " / ".join(ZERO.sub("0", form.format(one)) for one in values)


def _reading(rows: Sequence[Moved]) -> str:
    beyond = [
        f"{row.name} {word}"
        for row in rows
        for word, top in zip(("lower", "higher"), row.top, strict=True)
        if top.share > WIN_SHARES[1]
    ]
    most = MOST[0] if beyond else MOST[1]
    words: dict[str, Any] = {
        "first": _capital(_listed([row.name for row in rows[:4]])),
        "still": _capital(_listed([row.name for row in rows if row.reach < STILL])),
        "storage": next(row.reach for row in rows if row.name == "storage cost"),
        "most": most.format(limit=WIN_SHARES[1], beyond=_listed(beyond)),
    }
    return "\n\n".join(fill(part, 120) for part in READING.format(**words).split("\n\n"))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
