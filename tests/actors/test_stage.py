"""The plain actor classes together, in this process: what they record is what the reference records."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.parquet as pq
import pytest

from actors import store
from actors.assignment import Assignment
from actors.audit import Audit
from actors.budget import Allowance
from actors.entries import Spent, Writer, call_entry, timing_entry
from actors.firm import Firm
from actors.journal import Journal
from actors.journal_link import JournalRecorder
from actors.llm.calls import CallFailure, DecisionKey, InfraFailure, Place
from actors.market import Market
from actors.messages import Ack, Lost, NoOffer
from ecologies.policy import PolicySpec
from erpsim.errors import RunError
from erpsim.observation import Observation
from erpsim.offer import Offer, Sales
from erpsim.proposal import Proposal
from erpsim.state import FirmState
from tests.actors.samples import call_record
from tests.actors.scripts import RUN_ID, Script, Stage, graded_rows, play_locally, short_problems, small_work


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "records" / f"{table}.parquet").to_pylist()
    return rows


async def finish(stage: Stage, folder: Path) -> None:
    await stage.audit.close()
    store.export(folder, RUN_ID, n_models=2)


def reference_files(folder: Path, rows: dict[str, list[dict[str, Any]]]) -> dict[str, bytes]:
    rows["outcomes"] = store.ranked(rows["outcomes"], n_models=2)
    for table in store.GRADED:
        store.write_table(folder / f"{table}.parquet", store.ROW_TYPES[table], rows[table])
    return {table: (folder / f"{table}.parquet").read_bytes() for table in store.GRADED}


def played_files(folder: Path) -> dict[str, bytes]:
    return {table: (folder / "records" / f"{table}.parquet").read_bytes() for table in store.GRADED}


async def test_plain_actors_record_what_the_reference_records_byte_for_byte(tmp_path: Path) -> None:
    units = small_work(short_problems(2))
    stage = Stage.build(tmp_path, units)
    ends = await asyncio.gather(*(stage.market.play(unit.market.market_id, True) for unit in reversed(units)))
    assert {end.status for end in ends} == {"done"}
    await finish(stage, tmp_path)
    expected = reference_files(tmp_path / "reference", graded_rows(await play_locally(units)))
    assert played_files(tmp_path) == expected
    assert {row["category"] for row in read(tmp_path, "events")} >= {"fallback_decision", "finance_adjusted"}
    assert len(read(tmp_path, "timings")) == 6 * 3


async def test_only_offers_sales_and_acknowledgements_cross_and_a_market_holds_no_books(tmp_path: Path) -> None:
    units = small_work(short_problems(1))
    stage = Stage.build(tmp_path, units)
    seen: list[object] = []
    spied = Market(stage.assignment, stage.audit, {host: Spy(firm, seen) for host, firm in stage.firms.items()})
    for unit in units:
        await spied.play(unit.market.market_id, True)
    crossed = {type(item) for call in seen for item in (call if isinstance(call, tuple) else (call,))}
    assert crossed == {Offer, Sales, Ack, str, int}
    assert not any(isinstance(item, FirmState) for item in reachable(spied))
    assert any(isinstance(item, FirmState) for item in reachable(Trap(stage)))
    await stage.audit.close()


class Spy:
    """A firm actor whose arguments and answers are noted."""

    def __init__(self, firm: Firm, seen: list[object]) -> None:
        self.firm_behind, self.seen = firm, seen

    def __getattr__(self, name: str) -> Any:
        async def call(*arguments: object) -> object:
            answer = await getattr(self.firm_behind, name)(*arguments)
            self.seen += [*arguments, answer]
            return answer

        return call


class Trap:
    """Something that does hold a state, to show that the search finds one."""

    def __init__(self, stage: Stage) -> None:
        unit = stage.assignment.units[0]
        firm = next(iter(stage.firms.values()))
        self.deep = {"inside": [firm._opened(unit.market.market_id)]}


def reachable(start: object) -> list[object]:
    """Everything that an object holds, through attributes and containers; a spy's firm is another actor's."""
    found: dict[int, object] = {}
    waiting: list[object] = [start]
    while waiting:
        item = waiting.pop()
        if id(item) in found:
            continue
        found[id(item)] = item
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            waiting += list(item)
        elif not isinstance(item, Spy) and hasattr(item, "__dict__"):
            waiting += list(vars(item).values())
    return list(found.values())


async def test_g3_11_a_market_taken_up_by_new_actors_ends_in_the_same_bytes(tmp_path: Path) -> None:
    units = small_work(short_problems(1))
    market_id = units[0].market.market_id
    first = Stage.build(tmp_path, units, Breaking(at=(2, 3)).deciders)
    end = await first.market.play(market_id, True)
    assert (end.status, end.round_number) == ("interrupted", 3)
    await first.audit.close()
    second = Stage.build(tmp_path, units)
    assert await second.audit.committed(market_id) == 2
    ends = [await second.market.play(unit.market.market_id, unit.market.market_id != market_id) for unit in units]
    assert [end.status for end in ends] == ["done"] * 3
    await finish(second, tmp_path)
    expected = reference_files(tmp_path / "reference", graded_rows(await play_locally(units)))
    assert played_files(tmp_path) == expected
    (failure,) = read(tmp_path, "failures")
    assert (failure["market_id"], failure["round"], failure["cause"]) == (market_id, 3, "actor_lost")


async def test_a_firm_actor_that_came_back_empty_between_two_calls_interrupts_its_market(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    stage = Stage.build(tmp_path, units)
    firm = stage.firms["model mb"]

    async def empty(market_id: str, round_number: int, sales: tuple[Sales, ...]) -> Ack:
        acknowledged = await Firm.settle(firm, market_id, round_number, sales)
        firm._games.clear()
        return acknowledged

    firm.settle = empty  # type: ignore[method-assign]
    end = await stage.market.play(units[0].market.market_id, True)
    assert (end.status, end.round_number, end.cause) == ("interrupted", 2, "actor_lost")
    await stage.audit.close()


async def test_a_marker_that_arrives_late_interrupts_the_market_and_the_next_look_goes_on(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    market_id = units[0].market.market_id
    stage = Stage.build(tmp_path, units, Breaking(at=(2, 2)).deciders)
    assert (await stage.market.play(market_id, True)).status == "interrupted"
    answers = [0]
    committed = stage.audit.committed

    async def stale(asked: str) -> int:
        return answers.pop() if answers else await committed(asked)

    stage.audit.committed = stale  # type: ignore[method-assign, assignment]
    end = await stage.market.play(market_id, False)
    assert (end.status, end.message) == ("interrupted", f"{market_id}: its firms stand at [1], not at 0")
    assert (await stage.market.play(market_id, False)).status == "done"
    await stage.audit.close()


class Breaking:
    """Loses the actor of one seat in one round, or has its model out of reach, as often as told."""

    def __init__(self, at: tuple[int, int], times: int = 1, failure: CallFailure | None = None) -> None:
        self.at, self.times, self.failure = at, times, failure

    def deciders(self, spec: PolicySpec, recorder: JournalRecorder) -> "Breaking":
        return self

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        if (observation.seat, observation.round_number) == self.at and self.times:
            self.times -= 1
            if self.failure is None:
                raise Lost("the process is gone")
            return InfraFailure(Place(key, 0, 0), self.failure)
        return Script().proposal(observation)


async def test_a_model_out_of_reach_parks_the_market_and_a_later_try_ends_in_the_same_bytes(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    market_id = units[0].market.market_id
    stage = Stage.build(tmp_path, units, Breaking((4, 2), 1, CallFailure("network", None, 5, "no route")).deciders)
    end = await stage.market.play(market_id, True)
    assert (end.status, end.round_number, end.cause, end.attempts, end.seat) == ("parked", 2, "network", 5, 4)
    assert (await stage.market.play(market_id, False)).status == "done"
    await finish(stage, tmp_path)
    expected = reference_files(tmp_path / "reference", graded_rows(await play_locally(units)))
    assert played_files(tmp_path) == expected
    (failure,) = read(tmp_path, "failures")
    assert (failure["model"], failure["round"], failure["attempts"]) == ("me", 2, 5)


async def test_a_run_may_play_the_fallback_for_a_model_out_of_reach(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    breaking = Breaking((4, 2), 99, CallFailure("network", None, 5, "no route"))
    stage = Stage.build(tmp_path, units, breaking.deciders)
    object.__setattr__(stage.assignment, "infra_fallback", True)
    assert (await stage.market.play(units[0].market.market_id, True)).status == "done"
    await finish(stage, tmp_path)
    (event,) = [row for row in read(tmp_path, "events") if row["code"] == "infra"]
    assert (event["seat"], event["round"], event["category"]) == (4, 2, "fallback_decision")
    statuses = {(row["seat"], row["round"]): row["decision_status"] for row in read(tmp_path, "rounds")}
    assert statuses[4, 2] == "fallback"


async def test_a_refused_key_is_never_played_as_a_fallback(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    stage = Stage.build(
        tmp_path, units, Breaking((4, 2), 99, CallFailure("auth", 401, 1, "the key was refused")).deciders
    )
    object.__setattr__(stage.assignment, "infra_fallback", True)
    end = await stage.market.play(units[0].market.market_id, True)
    assert (end.status, end.round_number, end.cause) == ("parked", 2, "auth")
    await finish(stage, tmp_path)
    assert not [row for row in read(tmp_path, "events") if row["code"] == "infra"]


async def test_software_that_fails_around_one_decision_becomes_a_traceback_and_the_fallback(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    stage = Stage.build(tmp_path, units, lambda spec, recorder: Faulty())
    assert (await stage.market.play(units[0].market.market_id, True)).status == "done"
    await finish(stage, tmp_path)
    rows = [row for row in read(tmp_path, "events") if row["category"] in ("traceback", "fallback_decision")]
    assert [(row["seat"], row["round"], row["code"]) for row in rows] == [
        (2, 1, "KeyError"),
        (2, 1, "traceback"),
        (3, 2, "no_json"),
    ]


class Faulty(Script):
    """Fails in seat 2 in round 1."""

    def proposal(self, observation: Observation) -> Proposal:
        if (observation.seat, observation.round_number) == (2, 1):
            raise KeyError("missing")
        return super().proposal(observation)


async def test_a_fault_in_one_market_leaves_the_others_alone(tmp_path: Path) -> None:
    units = small_work(short_problems(1))
    stage = Stage.build(tmp_path, units)
    broken = dict(stage.firms)
    broken["model mb"] = Wrong()  # type: ignore[assignment]
    market = Market(stage.assignment, stage.audit, broken)
    ends = await asyncio.gather(*(market.play(unit.market.market_id, True) for unit in units))
    assert [end.status for end in ends] == ["failed", "done", "done"]
    assert "ZeroDivisionError" in ends[0].message
    await stage.audit.close()


class Wrong:
    async def open(self, market_id: str) -> Ack:
        return Ack(market_id, 0)

    async def offer(self, market_id: str, round_number: int) -> NoOffer:
        raise ZeroDivisionError(market_id)


async def test_a_firm_asked_for_a_round_at_which_it_does_not_stand_says_so(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    stage = Stage.build(tmp_path, units)
    firm = stage.firms["model ma"]
    await firm.open("arena/P001")
    with pytest.raises(Lost, match="arena/P001 is not open at round 2; restore it first"):
        await firm.offer("arena/P001", 2)
    with pytest.raises(Lost, match="restore it first"):
        await stage.firms["model mb"].offer("arena/P001", 1)
    await stage.audit.close()


async def test_a_journal_that_cannot_be_written_ends_the_market_with_its_error(tmp_path: Path) -> None:
    units = small_work(short_problems(1))[:1]
    stage = Stage.build(tmp_path, units)

    async def full(entries: Sequence[object]) -> None:
        raise RunError("the disk is full")

    stage.audit.commit = full  # type: ignore[method-assign]
    end = await stage.market.play(units[0].market.market_id, True)
    assert (end.status, end.cause, end.message) == ("failed", "run", "the disk is full")
    await stage.audit.close()


async def test_progress_counts_what_the_journal_holds_also_after_a_restart(tmp_path: Path) -> None:
    units = small_work(short_problems(1))
    stage = Stage.build(tmp_path, units)
    for unit in units[:2]:
        await stage.market.play(unit.market.market_id, True)
    live = await stage.audit.snapshot()
    await stage.audit.close()
    again = Stage.build(tmp_path, units)
    assert await again.audit.snapshot() == live
    assert (live.markets_total, live.markets_done, live.rounds_done, live.rounds_total) == (3, 2, 6, 9)
    assert live.events["fallback_decision"] == 2
    await again.audit.close()
    journal = Journal(tmp_path / "journal.db", writable=False)
    assert sum(live.events.values()) == sum(stored.row.count(b'"category"') for stored in journal.rows("events"))
    journal.close()


class Stopped(Script):
    """A decider that is told to stop and notes it."""

    stopped: ClassVar[list[str]] = []

    async def stop_calls(self) -> None:
        self.stopped.append("asked")


async def test_once_its_calls_are_stopped_a_firm_actor_starts_no_decision_and_what_it_had_to_say_is_journaled(
    tmp_path: Path,
) -> None:
    (unit,) = small_work(short_problems(1))[1:2]
    stage = Stage.build(tmp_path, (unit,), lambda spec, recorder: Stopped())
    market_id = unit.market.market_id
    firm = stage.firms["model ma"]
    await firm.open(market_id)
    await firm.offer(market_id, 1)
    firm._link.attach(timing_entry(market_id, 1, 0, Spent()))
    assert await firm.stop_calls() == "model ma"
    assert Stopped.stopped == ["asked"]
    await firm.open(market_id)
    late = asyncio.create_task(firm.offer(market_id, 1))
    await asyncio.sleep(0.01)
    assert not late.done()
    late.cancel()
    await stage.audit.close()
    journal = Journal(tmp_path / "journal.db", writable=False)
    assert len(list(journal.rows("timings", uncommitted=True))) == 1
    journal.close()


async def test_the_audit_actor_stops_all_calls_once_when_the_allowance_is_spent(tmp_path: Path) -> None:
    stops = []

    async def stop() -> None:
        stops.append("all")

    audit = Audit(tmp_path, Assignment(RUN_ID, small_work(short_problems(1))), Allowance(1.0, stop))
    for number, cost_usd in enumerate((0.5, 0.49, 0.01, 0.5)):
        await audit.commit([call_entry(call_record(cost_usd=cost_usd), Writer("life", number))])
        await asyncio.sleep(0)
        assert len(stops) == (number >= 2)
    await audit.close()
