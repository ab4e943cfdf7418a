"""Policies and runs that tests play: decisions that differ by seat and round, and events that come with them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from actors.assignment import Assignment
from actors.audit import Audit
from actors.firm import Firm
from actors.journal_link import JournalRecorder
from actors.llm.calls import DecisionKey
from actors.market import Market
from ecologies.arena import arena_market
from ecologies.local import MarketRecords, play_market
from ecologies.policy import PolicySpec
from ecologies.problems import shipped_panel
from ecologies.solo import solo_market
from ecologies.work import WorkUnit
from erpsim.catalogue import MATERIALS, SKUS
from erpsim.decision import Decision, Finance, MarketingItem, ProductionItem, PurchaseOrder
from erpsim.events import FallbackDecision, InfraRetry, ParseRecovered
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal, Usage
from erpsim.records import CellRow

MODELS = tuple(PolicySpec("model", f"m{letter}") for letter in "abcdef")
RUN_ID = "0123456789ab"


@dataclass(frozen=True)
class Script:
    """Decides from the round and the seat alone, after some seconds; seat 3 falls back in round 2."""

    seconds: float = 0.0

    async def decide(self, observation: Observation, key: DecisionKey | None = None) -> Proposal:
        await asyncio.sleep(self.seconds)
        return self.proposal(observation)

    def proposal(self, observation: Observation) -> Proposal:
        seat, number = observation.seat, observation.round_number
        usage = Usage(llm_calls=2, tool_calls=1, tokens_in=100 + seat, tokens_out=10, cost_usd=0.1 * seat, route="r")
        if (seat, number) == (3, 2):
            events = (InfraRetry("rate"), FallbackDecision("no_json", cause="no JSON"))
            return Proposal(None, "fallback", events, usage)
        decision = Decision(
            prices={sku: 3.0 + 0.1 * ((j + seat + number) % 12) for j, sku in enumerate(SKUS)},
            production=tuple(
                ProductionItem(sku=SKUS[(2 * seat + number + step) % 12], quantity=20_000 + 500 * seat)
                for step in range(3)
            ),
            purchase_orders=tuple(PurchaseOrder(material=material, quantity=20_000) for material in MATERIALS),
            marketing=(MarketingItem(channel="grocery", amount=1000.0 * (seat + 1)),),
            finance=Finance(borrow=1e9 if seat == 1 else 0.0, dividend=10_000.0),
        )
        return Proposal(decision, "recovered", (ParseRecovered("fence"),), usage)


def scripted_deciders(spec: PolicySpec, recorder: JournalRecorder) -> Script:
    return Script()


def slow_deciders(spec: PolicySpec, recorder: JournalRecorder) -> Script:
    return Script(seconds=0.2)


def short_problems(count: int, horizon: int = 3) -> tuple[Problem, ...]:
    """The panel's first problems, cut to a few rounds."""
    problems = shipped_panel().problems[:count]
    return tuple(Problem(**{**vars(problem), "horizon": horizon}) for problem in problems)


def small_work(problems: Sequence[Problem]) -> tuple[WorkUnit, ...]:
    """One Arena and two Solo markets of each problem."""
    units = []
    for problem in problems:
        markets = [arena_market(problem.problem_id, MODELS)]
        markets += [solo_market(problem.problem_id, MODELS[index], index) for index in (0, 3)]
        units += [WorkUnit(market, problem) for market in markets]
    return tuple(units)


async def play_locally(units: Sequence[WorkUnit]) -> list[MarketRecords]:
    """The reference: each market in this process, without any actor."""
    return [
        await play_market(unit.market, unit.problem, [Script() for _ in unit.market.seats], RUN_ID) for unit in units
    ]


def _columns(row: Any) -> dict[str, Any]:
    return row._asdict() if isinstance(row, CellRow) else asdict(row)


def graded_rows(records: Sequence[MarketRecords]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the four graded tables by the order of their key; outcomes without rank."""
    rows = {
        table: [_columns(row) for market in records for row in getattr(market, table)]
        for table in ("rounds", "cells", "outcomes", "events")
    }
    for table_rows in rows.values():
        table_rows.sort(key=lambda row: (row["market_id"], row.get("round", 0), row["seat"], row.get("sequence", 0)))
    return rows


@dataclass
class Stage:
    """The plain actor classes of one shard, in this process."""

    assignment: Assignment
    audit: Audit
    firms: dict[str, Firm]
    market: Market

    @classmethod
    def build(
        cls,
        folder: Path,
        units: tuple[WorkUnit, ...],
        deciders: Any = scripted_deciders,
        model_actors: int | None = None,
    ) -> Stage:
        assignment = Assignment(RUN_ID, units, model_actors=model_actors)
        audit = Audit(folder, assignment)
        firms = {host: Firm(host, assignment, audit, deciders) for host in assignment.hosts}
        return cls(assignment, audit, firms, Market(assignment, audit, firms))
