from erpsim.catalogue import CHANNELS, MATERIALS, SKUS
from erpsim.decision import Decision, decision_schema
from erpsim.errors import ErpbenchError
from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES, Event
from erpsim.observation import Observation
from erpsim.observation_document import observation_json, observation_schema
from erpsim.offer import MarketReport, Offer, Sales
from erpsim.parameters import RULES, RULES_VERSION
from erpsim.parsing import read_decision
from erpsim.plan import Plan
from erpsim.problem import Disturbance, MarketSettings, Opening, Problem
from erpsim.proposal import Proposal, Usage
from erpsim.result import FirmRound, Settled, Traded
from erpsim.round import clear, open_firm, repair, settle, settle_all
from erpsim.state import FirmState
from erpsim.tools import TOOLS, call_tool

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
