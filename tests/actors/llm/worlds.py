"""Small worlds for the tests of this folder: one problem, its observations, one decision, and a journal in memory."""

import asyncio
from dataclasses import dataclass, field
from functools import lru_cache

from actors.llm.calls import CallRecord, DecisionKey, Place, Reply
from actors.llm.wire import stored_reply
from ecologies.local import play_rounds
from ecologies.policy import Scripted
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.observe import observe
from erpsim.opening import open_firm
from erpsim.problem import MarketSettings, Opening, Problem

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

    async def play() -> Observation:
        problem = small_problem()
        policies = [Scripted({1: DECISION, 2: DECISION}) for _ in range(6)]
        async for played in play_rounds(problem, policies):
            if played.round_number == 2:
                break
        return observe(played.settled[0].state, problem, 6)

    with asyncio.Runner() as runner:
        return runner.run(play())


@dataclass
class MemoryJournal:
    """Keeps records, and gives replies back by place and digest."""

    records: list[CallRecord] = field(default_factory=list)
    lookups: int = 0

    async def lookup(self, place: Place, digest: str) -> Reply | None:
        self.lookups += 1
        for record in self.records:
            where = (record.market_id, record.seat, record.round_number, record.ask, record.turn, record.digest)
            if where == (*_columns(place), digest) and record.error_class in ("", "content_filter"):
                return stored_reply(record.reply, place.turn, record.route)
        return None

    async def commit(self, record: CallRecord) -> None:
        self.records.append(record)


def _columns(place: Place) -> tuple[str, int, int, int, int]:
    return (place.key.market_id, place.key.seat, place.key.round_number, place.ask, place.turn)
