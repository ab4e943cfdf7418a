from ecologies.arena import arena_market
from ecologies.ecology import RULE_NAMES, Market
from ecologies.local import MarketRecords, play_market, play_rounds, replay
from ecologies.mixed import mixed_market, parse_lineup
from ecologies.models import Models, load_models, standin_models
from ecologies.panel import generate
from ecologies.policy import Policy, PolicySpec, Replayed, Scripted
from ecologies.problems import read_panel, select, shipped_panel
from ecologies.rules import RulePolicy, rule_policy
from ecologies.solo import solo_market
from ecologies.work import WorkRequest, WorkUnit, plan_work

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
