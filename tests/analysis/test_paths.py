from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.load import Records
from analysis.paths import RULES, paths
from tests.analysis.samples import outcome, records, two_by_two


def _value(frame: pd.DataFrame, model: str, measure: str, number: int = 1) -> float:
    rows = frame[(frame["model"] == model) & (frame["measure"] == measure) & (frame["round"] == number)]
    return float(rows["mean"].item())


def _solo(prices: list[float | None]) -> Records:
    """One market of one model and two rule firms, two rounds each, at these prices."""
    made = records([outcome("solo", "P1", "a", 8e6)])
    rounds = made.rounds.loc[made.rounds.index.repeat(3)].reset_index(drop=True)
    seats = np.tile([0, 1, 2], 2)
    paid = np.tile(np.array(prices, dtype="float64"), 2)
    return replace(made, rounds=rounds.assign(seat=seats, model=rounds["model"].where(seats == 0), price_mean=paid))


def test_means_are_over_problems_in_millions() -> None:
    frame = paths(records(two_by_two()))
    solo = frame[frame["ecology"] == "solo"]
    assert _value(solo, "a", "valuation_m", 1) == pytest.approx((2.5 + 1.0) / 2)
    assert _value(solo, "a", "valuation_m", 2) == pytest.approx((5.0 + 2.0) / 2)
    assert set(frame["n"]) == {2}


def test_quartiles_are_of_type_seven() -> None:
    rows = [outcome("solo", f"P{number}", "a", value * 1e6) for number, value in enumerate((1.0, 2.0, 4.0, 9.0))]
    frame = paths(records(rows))
    last = frame[(frame["measure"] == "valuation_m") & (frame["round"] == 2)].iloc[0]
    assert (last["low"], last["high"]) == pytest.approx((1.75, 5.25))


def test_price_index_compares_with_all_firms_of_the_market() -> None:
    frame = paths(_solo([6.0, 5.0, 4.0]))
    assert _value(frame, "a", "price") == 6.0
    assert _value(frame, "a", "price_index") == pytest.approx(120.0)
    assert _value(frame, RULES, "price_index") == pytest.approx(90.0)


def test_a_firm_alone_has_no_price_index() -> None:
    frame = paths(_solo([6.0, None, None]))
    assert _value(frame, "a", "price") == 6.0
    assert "price_index" not in set(frame["measure"])


def test_an_unfinished_trajectory_counts_in_no_round() -> None:
    made = records(two_by_two())
    kept = made.outcomes[~((made.outcomes["model"] == "a") & (made.outcomes["problem_id"] == "P1"))]
    frame = paths(replace(made, outcomes=kept))
    solo = frame[frame["ecology"] == "solo"]
    assert _value(solo, "a", "valuation_m", 2) == pytest.approx(2.0)
    assert _value(solo, "b", "valuation_m", 2) == pytest.approx(3.5)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_valuation_that_is_no_number_is_left_out(value: float) -> None:
    frame = paths(records([outcome("solo", "P1", "a", value), outcome("solo", "P2", "a", 4e6)]))
    assert set(frame["n"]) == {1}
    assert _value(frame, "a", "valuation_m", 2) == pytest.approx(4.0)


def test_the_order_of_rows_does_not_matter() -> None:
    made = records(two_by_two())
    turned = replace(made, rounds=made.rounds[::-1], outcomes=made.outcomes[::-1])
    pd.testing.assert_frame_equal(paths(made), paths(turned))


def test_nothing_completed_gives_no_rows() -> None:
    made = records(two_by_two())
    assert paths(replace(made, outcomes=made.outcomes.iloc[:0])).empty
