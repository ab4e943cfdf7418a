"""How stand-in models spoil their answers: the slips that language models make, at each style's own rate.

A spoilt answer is a function of the request alone, as the plan is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from actors.llm.standin_planner import Noise
from actors.llm.standin_styles import Style

STUBBORN: Final = 0.4
"""Chance that a model that gave no decision gives none when asked again."""
OVER_ASKED: Final = 3
"""Items at the end of the plan that ask for too much."""
_NO_ANSWER: Final = ("truncated", "refused", "no_json")


class Written(NamedTuple):
    """An answer as it is written down."""

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


def write(decision: dict[str, Any], style: Style, noise: Noise, asked_again: bool) -> Written:
    """Write a decision, with the defects that this request draws; asked again, only giving none can repeat."""
    if asked_again:
        stubborn = style.defects.keys() & set(_NO_ANSWER) and noise("stubborn") < STUBBORN
        drawn = [name for name in _NO_ANSWER if name in style.defects][:1] if stubborn else []
    else:
        drawn = [name for name, chance in style.defects.items() if noise(f"defect {name}") < chance]
    spoilt = decision
    for name, spoil in IN_PLAN.items():
        if name in drawn:
            spoilt = spoil(spoilt)
    text = json.dumps(spoilt, separators=(", ", ": "))
    for name in drawn:
        if name in IN_TEXT:
            return IN_TEXT[name](text)
    return Written(text)


def _over_ask(plan: dict[str, Any]) -> dict[str, Any]:
    """More of the last items than a lot may hold and the line can make."""
    items = plan["production"]
    more = [{**item, "quantity": item["quantity"] + 40_000} for item in items[-OVER_ASKED:]]
    return {**plan, "production": [*items[:-OVER_ASKED], *more]}


def _lot_step(plan: dict[str, Any]) -> dict[str, Any]:
    """Quantities that are no whole lots."""
    items = [{**item, "quantity": item["quantity"] + 350} for item in plan["production"]]
    return {**plan, "production": items}


def _unknown_sku(plan: dict[str, Any]) -> dict[str, Any]:
    prices = {**plan["prices"], "HAZELNUT-750": {"grocery": 4.99}}
    return {**plan, "prices": prices, "production": [*plan["production"], {"sku": "HAZELNUT-750", "quantity": 16_000}]}


def _investment(plan: dict[str, Any]) -> dict[str, Any]:
    """More green steps than there are: granted in part at first, then not at all."""
    wanted = [{"kind": "green_fleet", "amount": 4}, {"kind": "green_production", "amount": 4}]
    finance = plan["finance"]
    return {**plan, "finance": {**finance, "investments": [*finance["investments"], *wanted]}}


def _number_text(plan: dict[str, Any]) -> dict[str, Any]:
    prices = {
        sku: {channel: f"{price:.2f}" for channel, price in by_channel.items()}
        for sku, by_channel in plan["prices"].items()
    }
    items = [{**item, "quantity": f"{item['quantity']:,}"} for item in plan["production"]]
    return {**plan, "prices": prices, "production": items}


def _title_keys(plan: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", " ").title(): value for name, value in plan.items()}


def _truncated(text: str) -> Written:
    return Written(text[: len(text) * 3 // 5], "length")


def _refused(text: str) -> Written:
    del text
    return Written(None, refusal="I cannot help with this request.")


def _no_json(text: str) -> Written:
    del text
    return Written("I would rather wait a round and watch the market.")


IN_PLAN: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "over_ask": _over_ask,
    "lot_step": _lot_step,
    "unknown_sku": _unknown_sku,
    "investment": _investment,
    "number_text": _number_text,
    "title_keys": _title_keys,
}
"""Defects of the plan, in this order: figures first, then how they are written, then the keys."""
IN_TEXT: Final[dict[str, Callable[[str], Written]]] = {
    "truncated": _truncated,
    "refused": _refused,
    "no_json": _no_json,
    "fence": lambda text: Written(f"```json\n{text}\n```"),
    "prose": lambda text: Written(f"Here is my decision for this round.\n\n{text}\n\nI hope that it works out."),
    "comma": lambda text: Written(text[:-1] + ",}"),
}
"""Defects of the text that the plan is written in."""
