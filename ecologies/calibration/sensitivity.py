"""What moves when a parameter of the rules does: one main parameter a fifth lower or higher, all else alike.

`python -m ecologies.calibration.sensitivity NAME low|high --problems 50` plays the five rules on problems of the
shipped panel and prints what comes of it as JSON; without a name nothing is altered. The rules' table is replaced
before any module that reads it is loaded, so every run takes a process of its own, and nothing else ever sees it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final

from erpsim import parameters
from erpsim.parameters import RULES

FIFTH: Final = (0.8, 1.2)
SIDES: Final = ("low", "high")

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Alteration:
    """One parameter's lower and higher figure, in the order of `SIDES`.

    Attributes:
        rules: figures of the rules' table by field.
        setting: a field of every problem's market that is multiplied by 0.8 and 1.2.
        special: `break-up` or `risk`, figures outside of the table, multiplied by 0.8 and 1.2.
        steps: how far it is altered where that is not a fifth.
    """

    rules: Mapping[str, Pair] = field(default_factory=dict)
    setting: str = ""
    special: str = ""
    steps: str = ""


def _fifth(*names: str) -> Alteration:
    return Alteration({name: _times(getattr(RULES, name)) for name in names})


def _times(figure: Any) -> Pair:
    low, high = (_scaled(figure, factor) for factor in FIFTH)
    return low, high


def _scaled(figure: Any, factor: float) -> Any:
    if isinstance(figure, tuple):
        return tuple(_scaled(one, factor) for one in figure)
    return round(figure * factor) if isinstance(figure, int) else figure * factor


def _tariff(place: int) -> Alteration:
    """Of every storage tariff, the free part (0) or the rate (1)."""
    tariffs = {name: getattr(RULES, name) for name in ("storage_goods", "storage_food", "storage_packaging")}
    return Alteration({name: _times_at(tariff, place) for name, tariff in tariffs.items()})


def _times_at(tariff: tuple[int, int], place: int) -> Pair:
    low, high = (
        tuple(_scaled(one, factor) if at == place else one for at, one in enumerate(tariff)) for factor in FIFTH
    )
    return low, high


ALTERATIONS: Final[Mapping[str, Alteration]] = {
    "price exponents b": _fifth("price_exponent"),
    "goodwill exponents c": _fifth("goodwill_exponent"),
    "goodwill scale": _fifth("goodwill_scale"),
    "goodwill lost a day": Alteration({"goodwill_decay": (0.96, 0.94)}),
    "service exponent": _fifth("service_exponent"),
    "outside share": Alteration(setting="outside_share"),
    "market size": Alteration(setting="size"),
    "noise of demand": _fifth("demand_sd"),
    "capacity of the line": _fifth("capacity"),
    "price of capacity": _fifth("capacity_cost"),
    "setup hours": Alteration({"setup_hours": (6, 10)}, steps="2 h of 8"),
    "fixed costs": _fifth("labour", "overhead", "administration"),
    "material price level": Alteration(setting="material_level"),
    "vendor B surcharge": Alteration({"vendor_markup": ((0.0, 0.024), (0.0, 0.036))}),
    "vendor B lead": Alteration(
        {"vendor_lead_low": ((2, 1), (2, 2)), "vendor_lead_high": ((7, 1), (7, 3))},
        steps="always 1 day; 2 to 3 days",
    ),
    "free storage": _tariff(0),
    "storage cost": _tariff(1),
    "carbon price": _fifth("carbon_price"),
    "loan and overdraft spreads": _fifth("loan_spread", "overdraft_spread"),
    "company risk": Alteration(special="risk"),
    "tax rate": _fifth("tax_rate"),
    "discount rate (market part)": _fifth("market_rate"),
    "growth cap": _fifth("growth_cap"),
    "stable growth": _fifth("growth_stable"),
    "retention": _fifth("retention"),
    "break-up weights": Alteration(special="break-up"),
}
"""Main parameters by name."""


def altered_outcome(name: str, side: str, count: str) -> dict[str, Any]:
    """Alter the rules of this process, play the five rules, and give `outcome.outcome` as data.

    Raises:
        RuntimeError: a module that reads the rules is loaded already, so that it would keep the old figures.
    """
    loaded = sorted(one for one in sys.modules if one.startswith("erpsim.") and one != "erpsim.parameters")
    if loaded:
        raise RuntimeError(
            f"{', '.join(loaded)} would keep the rules as they are; alter them in a process of their own"
        )
    alteration = ALTERATIONS[name] if name else Alteration()
    index = SIDES.index(side)
    vars(parameters)["RULES"] = replace(RULES, **{key: pair[index] for key, pair in alteration.rules.items()})
    played = import_module("ecologies.calibration.outcome")
    problems = played.chosen(count, alteration.setting, FIFTH[index])
    if alteration.special:
        # Only now, as a panel is refused whose firms open above their credit limit.
        import_module("ecologies.calibration.special_figures").scale(alteration.special, FIFTH[index])
    found: dict[str, Any] = played.outcome(problems)
    return found


def main(arguments: Sequence[str]) -> int:
    """Print what the five rules come to under altered rules."""
    parser = argparse.ArgumentParser(prog="python -m ecologies.calibration.sensitivity", description=__doc__)
    parser.add_argument("name", nargs="?", default="", choices=("", *ALTERATIONS))
    parser.add_argument("side", nargs="?", default="low", choices=SIDES)
    parser.add_argument("--problems", default="50", help="all, a number, or ids separated by commas")
    asked = parser.parse_args(arguments)
    sys.stdout.write(json.dumps(altered_outcome(asked.name, asked.side, asked.problems)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
