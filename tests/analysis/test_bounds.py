"""What the missing could change, by hand."""

import numpy as np

from analysis import metrics
from analysis.bounds import bounded, delta_bounds, model_bounds
from erpsim.records import OutcomeRow
from tests.analysis import runs, samples
from tests.analysis.panels import Valuations, cell
from tests.analysis.samples import frame


def _bounded(solo: Valuations, arena: Valuations):  # type: ignore[no-untyped-def]
    rows = runs.outcomes(solo, arena)
    kept = [row for row in rows if not np.isnan(row.valuation)]
    return bounded(metrics.trajectories(frame(kept, OutcomeRow)), samples.planned(rows))


COMPLETE = [[10.0, 20.0, 30.0], [10.0, 20.0, 30.0]]


def test_a_missing_trajectory_lies_between_the_worst_and_the_best_of_its_problem() -> None:
    rows = _bounded(COMPLETE, [[np.nan, 20, 60], [1, 2, 3]])
    missing = rows[rows["missing"]]
    columns = ["valuation_low_m", "valuation_high_m", "rank_best", "rank_worst"]
    assert missing[columns].to_numpy().tolist() == [[20, 60, 1, 3]]
    found = model_bounds(rows)
    where = {"ecology": "arena", "model": "m0"}
    assert cell(found, "valuation_low_m", **where) == 10.5
    assert cell(found, "valuation_high_m", **where) == 30.5
    assert cell(found, "rank_best", **where) == 2
    assert cell(found, "rank_worst", **where) == 3
    assert cell(found, "missing", **where) == 1
    assert cell(found, "planned", **where) == 2


def test_what_is_complete_has_equal_limits() -> None:
    found = model_bounds(_bounded(COMPLETE, COMPLETE))
    assert (found["valuation_low_m"] == found["valuation_high_m"]).all()
    assert (found["rank_best"] == found["rank_worst"]).all()
    assert found["missing"].sum() == found["unbounded"].sum() == 0


def test_a_problem_without_any_valuation_bounds_nothing_and_is_counted() -> None:
    found = model_bounds(_bounded(COMPLETE, [[np.nan] * 3, [1, 2, 3]]))
    arena = found[found["ecology"] == "arena"]
    assert arena["unbounded"].tolist() == [1, 1, 1]
    assert arena[["valuation_low_m", "valuation_high_m"]].isna().all(axis=None)
    assert arena["rank_worst"].tolist() == [3, 2.5, 2]


def test_the_effect_is_lowest_with_the_arena_low_and_solo_high() -> None:
    found = delta_bounds(_bounded([[np.nan, 20, 30], [10, 20, 30]], [[np.nan, 20, 60], [1, 2, 3]]))
    # P0: from 20 - 30 to 60 - 20; P1: 1 - 10.
    assert cell(found, "delta_low_m", model="m0") == (-10 - 9) / 2
    assert cell(found, "delta_high_m", model="m0") == (40 - 9) / 2
    assert cell(found, "delta_low_m", model="m1") == cell(found, "delta_high_m", model="m1") == -9


def test_an_effect_without_bounds_is_undefined() -> None:
    found = delta_bounds(_bounded(COMPLETE, [[np.nan] * 3, [1, 2, 3]]))
    assert found["delta_low_m"].isna().all()


def test_a_run_without_any_outcome_has_bounds_for_nothing() -> None:
    nothing = np.full((1, 2), np.nan)
    found = model_bounds(_bounded(nothing, nothing))
    assert found["missing"].tolist() == [1] * 4
    assert found["valuation_low_m"].isna().all()
    assert found["rank_best"].tolist() == [1] * 4
