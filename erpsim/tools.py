"""Six read-only tools over the Observation: what a firm may look up before it decides.

A tool is a pure function of its arguments and the Observation; it answers compact JSON whose keys are described, with
units, at the view that makes it (`view_finance`, `view_supply`, `view_market`), or an error text that lists what is
valid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.observation import Observation
from erpsim.tool_arguments import FINANCE_PARTS, PLAN_LIMIT, ROUNDS_LIMIT, Arguments, check_arguments
from erpsim.view_finance import carbon_view, finance_view
from erpsim.view_market import demand_view, prices_view
from erpsim.view_supply import inventory_view, materials_view


class ToolAnswer(NamedTuple):
    """What a tool call gives back."""

    text: str  # compact JSON, or an error text
    ok: bool  # False: unknown tool or bad arguments


@dataclass(frozen=True)
class Tool:
    """One tool as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]  # JSON schema of the arguments
    view: Callable[[Observation, Arguments], dict[str, Any]]


def call_tool(name: str, arguments: dict[str, Any], observation: Observation) -> ToolAnswer:
    """Answer one tool call; equal arguments and observations give equal answers, byte for byte."""
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        return _error(f"unknown tool {name[:80]!r}; valid tools: {', '.join(tool.name for tool in TOOLS)}")
    checked = check_arguments(arguments, tuple(tool.parameters["properties"]))
    if isinstance(checked, str):
        return _error(f"{name}: {checked}")
    return ToolAnswer(_compact(tool.view(observation, checked)), ok=True)


def _error(message: str) -> ToolAnswer:
    return ToolAnswer(_compact({"error": message}), ok=False)


def _compact(value: dict[str, Any]) -> str:
    return orjson.dumps(value).decode()


def _names(valid: tuple[str, ...], what: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "string", "enum": list(valid)},
        "description": f"{what}; all if left out",
    }


_SKUS: Final = {"skus": _names(SKUS, "SKUs to show")}
_CHANNELS: Final = {"channels": _names(CHANNELS, "channels to show")}
_MATERIALS: Final = {"materials": _names(MATERIALS, "materials to show")}
_PARTS: Final = {"parts": _names(FINANCE_PARTS, "parts to show")}
_ROUNDS: Final = {
    "rounds": {
        "type": "integer",
        "minimum": 1,
        "maximum": ROUNDS_LIMIT,
        "description": "how many of the last rounds to show; 1 if left out",
    }
}
_PLAN: Final = {
    "plan": {
        "type": "object",
        "propertyNames": {"enum": list(SKUS)},
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": PLAN_LIMIT},
        "description": "units to make by SKU, in the order of production: gives the materials to order and the hours",
    }
}


def _schema(*properties: dict[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for one in properties:
        merged |= one
    return {"type": "object", "properties": merged, "additionalProperties": False}


TOOLS: Final = (
    Tool(
        "get_finance",
        "Own money: balances, what may be borrowed, repaid, paid out and spent, cash due by day, past income, "
        "investments and their next cost (EUR).",
        _schema(_PARTS),
        finance_view,
    ),
    Tool(
        "get_inventory",
        "Own goods by SKU and channel with days of cover and unit cost, storage charges, and the production line.",
        _schema(_SKUS, _CHANNELS),
        inventory_view,
    ),
    Tool(
        "get_market_prices",
        "Own and rivals' prices and shares of the last round, price index against rivals and own margin, by cell.",
        _schema(_SKUS, _CHANNELS),
        prices_view,
    ),
    Tool(
        "get_demand",
        "Demand for own goods by cell and round: demanded, sold, unmet, fill rate, market volume, a price elasticity "
        "estimated from own history (other firms' moves blur it), and what a market study expects at list prices.",
        _schema(_SKUS, _CHANNELS, _ROUNDS),
        demand_view,
    ),
    Tool(
        "get_raw_materials",
        "Raw materials: stock, deliveries under way, this round's prices, vendors and recipes; with a plan of units by "
        "SKU also what to order and the hours that the line needs.",
        _schema(_MATERIALS, _SKUS, _PLAN),
        materials_view,
    ),
    Tool(
        "get_carbon",
        "Carbon: this round's price, last round's emissions by scope, what emits how much, and green steps with their "
        "cost and what one more would have saved.",
        _schema(),
        carbon_view,
    ),
)
"""The six tools, in the order in which models are told of them."""
