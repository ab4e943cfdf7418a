"""Who plays whom on which problem, and the reference play without Ray."""

from importlib import import_module as _import_module
from typing import Any as _Any

_HOMES = {
    "Policy": "policy",
    "PolicySpec": "policy",
    "Scripted": "policy",
    "Replayed": "policy",
    "RulePolicy": "rules",
    "rule_policy": "rules",
    "Market": "ecology",
    "RULE_NAMES": "ecology",
    "solo_market": "solo",
    "arena_market": "arena",
    "mixed_market": "mixed",
    "parse_lineup": "mixed",
    "shipped_panel": "problems",
    "read_panel": "problems",
    "select": "problems",
    "generate": "panel",
    "Models": "models",
    "load_models": "models",
    "standin_models": "models",
    "WorkRequest": "work",
    "WorkUnit": "work",
    "plan_work": "work",
    "MarketRecords": "local",
    "play_market": "local",
    "play_rounds": "local",
    "replay": "local",
}
"""Public names in reading order, and the module that each lives in; loaded when first asked for."""

__all__ = [
    "RULE_NAMES",
    "Market",
    "MarketRecords",
    "Models",
    "Policy",
    "PolicySpec",
    "Replayed",
    "RulePolicy",
    "Scripted",
    "WorkRequest",
    "WorkUnit",
    "arena_market",
    "generate",
    "load_models",
    "mixed_market",
    "parse_lineup",
    "plan_work",
    "play_market",
    "play_rounds",
    "read_panel",
    "replay",
    "rule_policy",
    "select",
    "shipped_panel",
    "solo_market",
    "standin_models",
]


def __getattr__(name: str) -> _Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
