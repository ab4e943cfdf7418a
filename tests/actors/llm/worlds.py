"""Small worlds for the tests of this folder: one problem, its observations, one decision, and a journal in memory."""

from dataclasses import dataclass, field
from functools import lru_cache

from actors.llm.calls import CallRecord, DecisionKey, InfraFailure, Place, StoredBody
from actors.llm.switches import Switches
from ecologies.local import take_turn
from erpsim.decision import Decision
from erpsim.market import clear
from erpsim.observation import Observation
from erpsim.observe import observe
from erpsim.opening import open_firm
from erpsim.problem import MarketSettings, Opening, Problem
from erpsim.proposal import Proposal
from erpsim.settlement import settle

KEY = DecisionKey("arena/P900", 0, 1)
PLACE = Place(KEY, 0, 0)
DECISION = Decision.model_validate(
    {
        "prices": {"NUT-500": {"grocery": 4.4, "independent": 4.5}, "NUT-1000": 5.0},
        "production": [{"sku": "NUT-500", "quantity": 32000}],
        "purchase_orders": [
            {"material": material, "quantity": quantity, "vendor": vendor, "day": day}
            for vendor, day in (("B", 1), ("A", 28))
            for material, quantity in (
                ("nuts", 5000),
                ("wheat", 6000),
                ("oats", 6000),
                ("small_box", 32000),
                ("small_bag", 32000),
            )
        ],
    }
)


def small_problem() -> Problem:
    return Problem(
        problem_id="P900",
        seed=7,
        stratum="baseline",
        scenario="calm",
        horizon=6,
        opening=Opening(cash=3_000_000, loan=8_000_000),
        market=MarketSettings(size=1.0, trend=0.02, sensitivity=1.0, outside_share=0.25, material_level=1.0),
    )


@lru_cache
def opening_observation() -> Observation:
    """What the first of six firms sees before round 1."""
    return observe(open_firm(small_problem(), 0), small_problem(), 6)


@lru_cache
def later_observation() -> Observation:
    """What the first of six firms sees before round 3, when all have asked the same twice."""
    problem = small_problem()
    states = [open_firm(problem, seat) for seat in range(6)]
    for round_number in (1, 2):
        turns = [take_turn(state, problem, observe(state, problem, 6), Proposal(DECISION)) for state in states]
        cleared = clear(problem, round_number, [turn.plan.offer for turn in turns])
        rows = zip(states, turns, cleared.sales, strict=True)
        states = [settle(state, problem, turn.plan, sales).state for state, turn, sales in rows]
    return observe(states[0], problem, 6)


@dataclass
class MemoryJournal:
    """Keeps records, and gives replies back by place and digest."""

    records: list[CallRecord] = field(default_factory=list)
    switches: dict[str, Switches] = field(default_factory=dict)
    lookups: int = 0

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        self.lookups += 1
        for record in self.records:
            where = (record.market_id, record.seat, record.round_number, record.ask, record.turn, record.digest)
            if where == (*_columns(place), digest) and record.error_class in ("", "content_filter"):
                return StoredBody(record.reply, record.route)
        return None

    async def commit(self, record: CallRecord) -> None:
        self.records.append(record)

    async def learn(self, model: str, switches: Switches) -> None:
        self.switches[model] = switches


@dataclass(frozen=True)
class Decided:
    """One decision of a model: its outcome, and the attempts in its journal."""

    outcome: Proposal | InfraFailure
    journal: MemoryJournal

    @property
    def proposal(self) -> Proposal:
        assert isinstance(self.outcome, Proposal), self.outcome
        return self.outcome

    @property
    def codes(self) -> list[str]:
        return [f"{event.category}:{event.code}" for event in self.proposal.events]

    @property
    def classes(self) -> list[str]:
        return [record.error_class for record in self.journal.records]


def _columns(place: Place) -> tuple[str, int, int, int, int]:
    return (place.key.market_id, place.key.seat, place.key.round_number, place.ask, place.turn)
