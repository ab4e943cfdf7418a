import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.catalogue import ACTIVE, SKU_INDEX, SKUS
from erpsim.distribution import arrivals, default_shares, sent, split
from erpsim.problem import MarketSettings, Opening, Problem
from erpsim.production import Line, Schedule, schedule

NUT, ORIGINAL, NUT_KILO = SKU_INDEX["NUT-500"], SKU_INDEX["ORIGINAL-500"], SKU_INDEX["NUT-1000"]
PROBLEM = Problem(
    problem_id="P001",
    seed=1,
    stratum="baseline",
    scenario="calm",
    horizon=6,
    opening=Opening(cash=3_000_000, loan=8_000_000),
    market=MarketSettings(size=1.2, trend=0.01, sensitivity=1.0, outside_share=0.25, material_level=1.0),
)
GROCERY_HALF = np.array([0.0, 0.5, 0.5])


def _schedule(*items: tuple[int, int]) -> Schedule:
    line = Line(capacity=24_000, hours_percent=100, setup_hours=8, last_sku=-1)
    return schedule(items, line, np.full(10, 10_000_000), np.zeros((30, 10), dtype=np.int64))


@pytest.mark.parametrize(
    ("quantity", "shares", "units"),
    [
        (0, (0.2, 0.3, 0.5), [0, 0, 0]),
        (16_000, (0.15, 0.62, 0.23), [2_400, 9_920, 3_680]),
        (10, (0.33, 0.33, 0.34), [3, 3, 4]),  # 3.3, 3.3, 3.4: the last unit to the largest remainder
        (11, (0.25, 0.25, 0.5), [3, 3, 5]),  # 2.75, 2.75, 5.5: two units over
        (10, (0.5, 0.25, 0.25), [5, 3, 2]),  # 5, 2.5, 2.5: a tie goes to the lower channel
        (1, (1.0, 1.0, 1.0), [1, 0, 0]),
        (2, (1.0, 1.0, 1.0), [1, 1, 0]),
        (7, (0.0, 0.0, 1.0), [0, 0, 7]),
        (9, (2.0, 4.0, 3.0), [2, 4, 3]),  # weights need not sum to 1
    ],
)
def test_units_are_split_by_largest_remainder(quantity: int, shares: tuple[float, ...], units: list[int]) -> None:
    assert split(quantity, np.array(shares)).tolist() == units


WEIGHTS = st.lists(st.floats(0, 1e6), min_size=3, max_size=3).filter(lambda weights: max(weights) > 1e-6)


@given(st.integers(0, 1_000_000), WEIGHTS)
def test_a_split_loses_nothing_and_strays_less_than_a_unit(quantity: int, weights: list[float]) -> None:
    units = split(quantity, np.array(weights))
    assert units.sum() == quantity
    for part, weight in zip(units.tolist(), weights, strict=True):
        assert part >= 0
        assert abs(part - quantity * weight / sum(weights)) < 1 + 1e-6
        if not weight:
            assert part == 0


def test_default_shares_follow_preference_times_potential() -> None:
    # ā x N: 500 g of nut 0.14/2 x 24,426 = 1,709.8 in grocery and 0.14 x 10,135 = 1,418.9 in independents;
    # 1 kg of nut 0.14 x 5,563 = 778.8 in hypermarkets and again 1,709.8 in grocery.
    assert default_shares(NUT, PROBLEM) == pytest.approx([0, 0.54649, 0.45351], abs=1e-4)
    assert default_shares(NUT_KILO, PROBLEM) == pytest.approx([0.31295, 0.68705, 0], abs=1e-4)


@pytest.mark.parametrize("sku", range(len(SKUS)))
def test_default_shares_sum_to_one_and_leave_inactive_channels_out(sku: int) -> None:
    shares = default_shares(sku, PROBLEM)
    assert sum(shares) == pytest.approx(1)
    assert [share > 0 for share in shares] == ACTIVE[sku].tolist()


def test_a_days_output_is_on_sale_on_the_next_morning() -> None:
    # Setup 0-8 h; 24,000 units 8-32 h: 16,000 on day 1 and 8,000 on day 2, half of them to each of two channels.
    coming = arrivals(_schedule((NUT, 24_000)), GROCERY_HALF[None])
    assert coming.shape == (31, 12, 3)
    assert coming[:4, NUT].tolist() == [[0, 0, 0], [0, 8_000, 8_000], [0, 4_000, 4_000], [0, 0, 0]]
    assert coming.sum() == 24_000


def test_output_of_day_30_arrives_in_the_next_round() -> None:
    made = _schedule(*[(NUT, 48_000)] * 14, (NUT, 40_000))
    coming = arrivals(made, np.tile(GROCERY_HALF, (15, 1)))
    assert made.output.sum(axis=0)[29] == 24_000
    assert coming[30, NUT].tolist() == [0, 12_000, 12_000]
    assert coming[0].sum() == 0


def test_runs_of_one_sku_keep_their_own_shares() -> None:
    # 16,000 units 8-24 h to grocery alone, 16,000 units 24-40 h to independents alone.
    made = _schedule((NUT, 16_000), (NUT, 16_000))
    coming = arrivals(made, np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert coming[1:3, NUT].tolist() == [[0, 16_000, 0], [0, 0, 16_000]]


def test_runs_of_one_sku_on_one_day_arrive_together() -> None:
    line = Line(capacity=60_000, hours_percent=100, setup_hours=0, last_sku=-1)
    made = schedule([(NUT, 16_000)] * 2, line, np.full(10, 100_000), np.zeros((30, 10), dtype=np.int64))
    coming = arrivals(made, np.tile(GROCERY_HALF, (2, 1)))
    assert coming[1, NUT].tolist() == [0, 16_000, 16_000]


def test_nothing_made_sends_nothing() -> None:
    made = _schedule()
    assert not arrivals(made, np.zeros((0, 3))).any()
    assert sent(made).tolist() == [0] * 30


def test_units_are_sent_on_the_day_they_are_made() -> None:
    # 16,000 units of one SKU 8-24 h, setup 24-32 h, 16,000 of another 32-48 h.
    assert sent(_schedule((NUT, 16_000), (ORIGINAL, 16_000)))[:3].tolist() == [16_000, 16_000, 0]


@given(st.lists(st.tuples(st.sampled_from([NUT, ORIGINAL]), st.integers(16_000, 48_000), WEIGHTS), max_size=12))
def test_all_that_is_sent_arrives_once(items: list[tuple[int, int, list[float]]]) -> None:
    made = _schedule(*[(sku, quantity) for sku, quantity, _ in items])
    coming = arrivals(made, np.array([items[run.item][2] for run in made.runs]).reshape(-1, 3))
    assert coming.min() >= 0
    assert coming[1:].sum(axis=(1, 2)).tolist() == sent(made).tolist()
    for sku in (NUT, ORIGINAL):
        assert coming[:, sku].sum() == sum(run.quantity for run in made.runs if run.sku == sku)


def test_arrays_given_out_cannot_be_edited() -> None:
    made = _schedule((NUT, 16_000))
    assert not arrivals(made, GROCERY_HALF[None]).flags.writeable
    assert not sent(made).flags.writeable
