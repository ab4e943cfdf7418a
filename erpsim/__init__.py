"""Pure simulation of the manufacturers and their market: frozen data in, new frozen data out.

A round is the list of steps in `erpsim.round`; the names below are what a policy or an experiment needs.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

_HOMES = {
    "RULES": "parameters",
    "RULES_VERSION": "parameters",
    "SKUS": "catalogue",
    "CHANNELS": "catalogue",
    "MATERIALS": "catalogue",
    "ErpbenchError": "errors",
    "Problem": "problem",
    "Opening": "problem",
    "MarketSettings": "problem",
    "Disturbance": "problem",
    "Decision": "decision",
    "decision_schema": "decision",
    "Observation": "observation",
    "observation_json": "observation_document",
    "observation_schema": "observation_document",
    "TOOLS": "tools",
    "call_tool": "tools",
    "read_decision": "parsing",
    "Proposal": "proposal",
    "Usage": "proposal",
    "Event": "events",
    "EVENT_TYPES": "events",
    "PAPER_CATEGORIES": "events",
    "FirmState": "state",
    "Plan": "plan",
    "Offer": "offer",
    "Sales": "offer",
    "MarketReport": "offer",
    "Traded": "result",
    "FirmRound": "result",
    "Settled": "result",
    "open_firm": "round",
    "repair": "round",
    "clear": "round",
    "settle": "round",
    "settle_all": "round",
}
"""Public names in reading order, and the module that each lives in; loaded when first asked for."""

__all__ = [
    "CHANNELS",
    "EVENT_TYPES",
    "MATERIALS",
    "PAPER_CATEGORIES",
    "RULES",
    "RULES_VERSION",
    "SKUS",
    "TOOLS",
    "Decision",
    "Disturbance",
    "ErpbenchError",
    "Event",
    "FirmRound",
    "FirmState",
    "MarketReport",
    "MarketSettings",
    "Observation",
    "Offer",
    "Opening",
    "Plan",
    "Problem",
    "Proposal",
    "Sales",
    "Settled",
    "Traded",
    "Usage",
    "call_tool",
    "clear",
    "decision_schema",
    "observation_json",
    "observation_schema",
    "open_firm",
    "read_decision",
    "repair",
    "settle",
    "settle_all",
]


def __getattr__(name: str) -> _Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
