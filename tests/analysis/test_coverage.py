"""What is planned, completed and missing, and which records are refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.coverage import Coverage, PlannedTrajectory, cover
from erpsim.errors import RunError
from erpsim.records import OutcomeRow, RoundRow
from tests.analysis import samples
from tests.analysis.samples import failure, frame, planned, records, two_by_two


def _cover(rows: list[OutcomeRow], plan: tuple[PlannedTrajectory, ...] | None = None) -> Coverage:
    return cover(records(rows), planned(two_by_two()) if plan is None else plan)


def test_a_complete_run_is_counted_by_ecology() -> None:
    coverage = _cover(two_by_two())
    assert coverage.complete
    solo, arena = coverage.parts
    assert (solo.markets_planned, solo.markets_completed) == (4, 4)
    assert (arena.markets_planned, arena.markets_completed) == (2, 2)
    assert (arena.trajectories_planned, arena.trajectories_completed) == (4, 4)
    assert (arena.rounds_planned, arena.rounds_completed) == (8, 8)
    assert (arena.problems_planned, arena.problems_complete) == (2, 2)
    assert coverage.statement() == (
        "Coverage: solo 4 of 4 trajectories, 8 of 8 model rounds; arena 4 of 4 trajectories, 8 of 8 model rounds;"
        " none missing; no duplicates, rounds in order, rules 1.0."
    )


def test_a_missing_market_is_named_with_the_cause_of_its_last_try() -> None:
    rows = [row for row in two_by_two() if row.market_id != "arena/P2"]
    tries = [failure("arena/P2", "overloaded", 2), failure("arena/P2", "rate", 1)]
    coverage = cover(records(rows, failures=tries), planned(two_by_two()))
    assert not coverage.complete
    assert [(item.trajectory.market_id, item.trajectory.model, item.cause) for item in coverage.missing] == [
        ("arena/P2", "a", "overloaded"),
        ("arena/P2", "b", "overloaded"),
    ]
    arena = coverage.parts[1]
    assert (arena.markets_completed, arena.problems_complete, arena.rounds_completed) == (1, 1, 4)
    assert "2 missing: a in arena/P2 (overloaded), b in arena/P2 (overloaded)" in coverage.statement()


def test_a_market_without_a_failure_is_not_played_yet() -> None:
    coverage = _cover(two_by_two()[1:])
    assert [item.cause for item in coverage.missing] == ["not played yet"]


def test_a_failure_of_a_market_that_was_finished_later_is_no_gap() -> None:
    tries = [failure("arena/P2", "overloaded")]
    assert cover(records(two_by_two(), failures=tries), planned(two_by_two())).complete


def test_a_long_list_of_missing_trajectories_is_cut() -> None:
    coverage = cover(records([]), planned(two_by_two()))
    assert len(coverage.missing) == 8
    assert "8 missing:" in coverage.statement()
    assert "and 5 more" in coverage.statement()


def test_a_valuation_that_is_not_finite_is_missing() -> None:
    first, *rest = two_by_two()
    coverage = _cover([replace(first, valuation=np.nan), *rest])
    assert [item.cause for item in coverage.missing] == ["valuation is not finite"]


def test_a_trajectory_that_comes_twice_is_refused() -> None:
    with pytest.raises(RunError, match="outcomes holds solo problem_id P1 trial 0 seat 0 more than once"):
        _cover([*two_by_two(), two_by_two()[0]])


def test_a_round_that_comes_twice_is_refused() -> None:
    sample = records(two_by_two())
    doubled = samples.frame([*map(_round, sample.rounds.to_dict("records")), _round(sample.rounds.iloc[0])], RoundRow)
    with pytest.raises(RunError, match="rounds holds solo/P1/a seat 0 round 1 more than once"):
        cover(replace(sample, rounds=doubled), planned(two_by_two()))


def _round(row: object) -> RoundRow:
    return RoundRow(**{str(name): value for name, value in dict(row).items()})  # type: ignore[call-overload]


def test_the_rules_of_two_solo_markets_may_sit_in_one_seat() -> None:
    sample = records(two_by_two())
    rules = [
        replace(row, seat=3, policy_kind="rule", policy="balanced", model=None)
        for item in two_by_two()
        for row in samples.rounds_of(item)
    ]
    rounds = pd.concat([sample.rounds, frame(rules, RoundRow)], ignore_index=True)
    coverage = cover(
        replace(sample, rounds=rounds.drop_duplicates(["market_id", "seat", "round"])), planned(two_by_two())
    )
    assert coverage.complete
    assert coverage.parts[0].rounds_completed == 8


def test_a_gap_in_the_rounds_is_refused() -> None:
    sample = records(two_by_two())
    gap = sample.rounds.drop(index=0)
    with pytest.raises(RunError, match="has an outcome after 2 rounds and 1 of them in rounds"):
        cover(replace(sample, rounds=gap), planned(two_by_two()))


def test_an_outcome_without_rounds_is_refused() -> None:
    sample = records(two_by_two())
    with pytest.raises(RunError, match="has an outcome after 2 rounds and 0 of them in rounds"):
        cover(replace(sample, rounds=sample.rounds.iloc[2:]), planned(two_by_two()))


def test_rounds_in_another_row_order_are_the_same_records() -> None:
    sample = records(two_by_two())
    assert cover(replace(sample, rounds=sample.rounds.iloc[::-1]), planned(two_by_two())).complete


def test_an_outcome_that_is_not_the_last_rounds_is_refused() -> None:
    sample = records(two_by_two())
    changed = frame([replace(two_by_two()[0], valuation=1.0), *two_by_two()[1:]], OutcomeRow)
    with pytest.raises(RunError, match=r"ends at 1\.0 in outcomes and at 5000000\.0 in rounds"):
        cover(replace(sample, outcomes=changed), planned(two_by_two()))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("rules_version", "9.9", r"rounds mixes rules_version 1\.0, 9\.9"),
        ("run_id", "other", "rounds mixes run_id 0123456789ab, other"),
        ("seed", 8, "problem_id P1 has more than one seed: 7, 8"),
        ("stratum", "hard", "problem_id P1 has more than one stratum: baseline, hard"),
        ("market_id", "arena/P2", "market_id arena/P2 has more than one ecology: arena, solo"),
    ],
)
def test_sources_that_do_not_belong_together_are_refused(column: str, value: object, message: str) -> None:
    first, *rest = two_by_two()
    with pytest.raises(RunError, match=message):
        _cover([replace(first, **{column: value}), *rest])  # type: ignore[arg-type]


def test_outcomes_of_another_run_than_the_rounds_are_refused() -> None:
    sample = records(two_by_two())
    other = frame([replace(row, run_id="other") for row in two_by_two()], OutcomeRow)
    with pytest.raises(RunError, match="outcomes has run_id other, rounds has not"):
        cover(replace(sample, outcomes=other), planned(two_by_two()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seat": 5}, "seat 0 is not in the run's plan"),
        ({"model": "c"}, "is played by 'a', planned is 'c'"),
        ({"n_rounds": 6}, "ends after round 2, planned are 6"),
    ],
)
def test_records_of_another_plan_are_refused(change: dict[str, object], message: str) -> None:
    first, *rest = planned(two_by_two())
    with pytest.raises(RunError, match=message):
        _cover(two_by_two(), (replace(first, **change), *rest))  # type: ignore[arg-type]


def test_many_contradictions_are_counted_and_three_are_spelt_out() -> None:
    with pytest.raises(RunError, match=r"runs/sample/records.*\(and \d+ more\).*erpbench resume"):
        _cover([*two_by_two(), *two_by_two()])
