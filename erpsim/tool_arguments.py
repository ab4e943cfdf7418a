"""Arguments of tool calls: checked against the tool's schema, with an error text that lists what is valid."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.key_matching import match
from erpsim.number_text import read_number

FINANCE_PARTS: Final = ("position", "limits", "costs", "cash_due", "income", "investments")
PLAN_LIMIT: Final = 10_000_000
"""Units of one SKU beyond which a plan is no plan."""
ROUNDS_LIMIT: Final = 60


@dataclass(frozen=True)
class Arguments:
    """What a tool call asks for; every filter that is left out means all."""

    skus: tuple[int, ...] = tuple(range(len(SKUS)))  # SKU indices, in catalogue order
    channels: tuple[int, ...] = tuple(range(len(CHANNELS)))
    materials: tuple[int, ...] = tuple(range(len(MATERIALS)))
    parts: tuple[str, ...] = FINANCE_PARTS
    rounds: int = 1  # how many of the last rounds
    plan: dict[int, int] = field(default_factory=dict)  # units by SKU index, in the order given


_NAMES: Final = {"skus": SKUS, "channels": CHANNELS, "materials": MATERIALS, "parts": FINANCE_PARTS}


def check_arguments(arguments: dict[str, Any], allowed: tuple[str, ...]) -> Arguments | str:
    """Read a tool's arguments, or say what is wrong with them and what is valid.

    Null, an empty list and a missing filter mean all; one name may stand for a list of one; names are matched without
    regard to case, blanks, underscores and hyphens.
    """
    read = Arguments()
    given: set[str] = set()
    for name, value in arguments.items():
        known = match(name, allowed)
        if known is None:
            return f"unknown argument {name[:80]!r}; valid arguments: {', '.join(allowed) or 'none'}"
        if known in given:
            return f"{known} is given more than once; give it once"
        given.add(known)
        if value is None or value == []:
            continue
        checked = _check(known, value)
        if isinstance(checked, str):
            return checked
        read = replace(read, **{known: checked})
    return read


def _check(name: str, value: Any) -> Any:
    """The value of the `Arguments` field `name`, or an error text."""
    if name == "rounds":
        return _whole(name, value, 1, ROUNDS_LIMIT)
    if name == "plan":
        return _plan(value)
    return _filter(name, [value] if isinstance(value, str) else value)


def _filter(name: str, value: Any) -> tuple[Any, ...] | str:
    valid = _NAMES[name]
    if not isinstance(value, list):
        return f"{name} must be a list of names, not {_short(value)}; valid: {', '.join(valid)}"
    asked = set()
    for item in value:
        known = match(item, valid) if isinstance(item, str) else None
        if known is None:
            return f"{name}: unknown name {_short(item)}; valid: {', '.join(valid)}"
        asked.add(known)
    if name == "parts":
        return tuple(part for part in valid if part in asked)
    return tuple(index for index, known in enumerate(valid) if known in asked)


def _plan(value: Any) -> dict[int, int] | str:
    if not isinstance(value, dict):
        return f'plan must be an object of units by SKU, such as {{"NUT-500": 48000}}, not {_short(value)}'
    plan: dict[int, int] = {}
    for sku, units in value.items():
        known = match(sku, SKUS)
        if known is None:
            return f"plan: unknown SKU {sku[:80]!r}; valid: {', '.join(SKUS)}"
        if SKUS.index(known) in plan:
            return f"plan: {known} is given more than once; give it once"
        checked = _whole(f"plan.{known}", units, 0, PLAN_LIMIT)
        if isinstance(checked, str):
            return checked
        plan[SKUS.index(known)] = checked
    return plan


def _whole(name: str, value: Any, low: int, high: int) -> int | str:
    number = read_number(value, "whole") if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high or number % 1:
        return f"{name} must be a whole number from {low} to {high}, not {_short(value)}"
    return int(number)


def _short(value: Any) -> str:
    return repr(value)[:80]
