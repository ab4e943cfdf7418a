"""Shares and water-filling: worked by hand first, then what must hold for any market day."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.catalogue import ACTIVE, LIST_PRICES, MEAN_PREFERENCE, SKUS
from erpsim.conditions import Conditions, conditions
from erpsim.demand import (
    CHANNEL_OF_CELL,
    FIRST_CELL,
    SKU_OF_CELL,
    Evenings,
    Offered,
    Weights,
    clear_days,
    log_attraction,
    log_outside_option,
    shares,
    weigh,
)
from erpsim.problem import MarketSettings, Opening, Problem
from erpsim.units import FloatArray

NUT, BLUEBERRY = 0, 1  # cells of hypermarkets, which sell 1 kg only
FAINT = 1e-9


def plain_conditions() -> Conditions:
    market = MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=1.0)
    problem = Problem("P001", 7, "baseline", "calm", 6, Opening(3_000_000, 8_000_000), market)
    return replace(conditions(problem, 1), preference=MEAN_PREFERENCE)


def a_day(
    attraction: Sequence[float], outside: float, stock: Sequence[int], potential: float, n_days: int = 1
) -> Offered:
    """One channel's one SKU, a firm for each attraction; all other cells are faint, empty and without customers."""
    attractions, stocks = np.full((len(stock), 24), FAINT), np.zeros((len(stock), 24), dtype=np.int64)
    attractions[:, NUT], stocks[:, NUT] = attraction, stock
    customers = np.zeros((n_days, 24))
    customers[:, NUT] = potential
    weights = weigh(np.tile(np.log(attractions), (n_days, 1, 1)), stocks > 0, np.log(outside))
    return Offered(weights, customers, stocks, np.zeros((n_days, *stocks.shape), dtype=np.int64))


def open_shares(weights: Weights, open_cells: npt.NDArray[np.bool_]) -> FloatArray:
    """Shares on one day."""
    return shares(weights.cells, weights.outside[CHANNEL_OF_CELL], open_cells.astype(float))


def test_cells_are_the_active_ones_channel_by_channel() -> None:
    cells = [(SKUS[sku], int(channel)) for sku, channel in zip(SKU_OF_CELL, CHANNEL_OF_CELL, strict=True)]
    assert cells[0] == ("NUT-1000", 0)
    assert cells[6:8] == [("NUT-500", 1), ("BLUEBERRY-500", 1)]
    assert cells[-1] == ("MIXED-500", 2)
    assert len(set(cells)) == 24
    assert ACTIVE[SKU_OF_CELL, CHANNEL_OF_CELL].all()
    assert FIRST_CELL.tolist() == [0, 6, 18]


def test_mci_shares_of_two_firms_and_two_skus_with_an_outside_option() -> None:
    # Exponents b = 2, c = 0.5, h = 0.5; a = 0.14 (nut) and 0.24 (blueberry); s0 = 0.25.
    #   firm 1, nut, list price, no goodwill, service 1:             0.14 x 1    x 1 x 1   = 0.14
    #   firm 1, blueberry at half the list price:                    0.24 x 2^2  x 1 x 1   = 0.96
    #   firm 2, nut at list, goodwill 3 G0, service 0.25:            0.14 x 1    x 2 x 0.5 = 0.14
    #   firm 2, blueberry at twice the list price, service 0.25:     0.24 x 2^-2 x 1 x 0.5 = 0.03
    #   outside option:                                              2 x 0.25 / 0.75       = 0.6667
    # They add up to 1.9367.
    now = replace(plain_conditions(), price_exponent=np.full(3, 2.0), goodwill_exponent=np.full(3, 0.5))
    prices, goodwill = np.tile(LIST_PRICES[SKU_OF_CELL], (2, 1)), np.zeros((30, 2, 24))
    prices[:, BLUEBERRY] = LIST_PRICES[SKU_OF_CELL[BLUEBERRY]] * np.array([0.5, 2.0])
    goodwill[:, 1, NUT] = 3 * now.goodwill_scale[0]
    service = np.repeat([[1.0], [0.25]], 24, axis=1)
    attraction = log_attraction(now, prices, goodwill, service)
    assert np.exp(attraction[0, :, :2]) == pytest.approx(np.array([[0.14, 0.96], [0.14, 0.03]]))

    open_cells = np.zeros((2, 24), dtype=bool)
    open_cells[:, :2] = True
    weights = weigh(attraction[0], open_cells, log_outside_option(2, now.outside_share))
    share = open_shares(weights, open_cells)[:, :2]
    assert share == pytest.approx(np.array([[0.07229, 0.49570], [0.07229, 0.01549]]), abs=5e-6)
    assert 1 - share.sum() == pytest.approx(0.34423, abs=5e-6)


@pytest.mark.parametrize("n_firms", [1, 2, 6, 600])
@pytest.mark.parametrize("outside_share", [0.20, 0.25, 0.35])
def test_at_list_prices_with_full_shelves_the_inside_share_is_one_less_the_outside_share(
    n_firms: int, outside_share: float
) -> None:
    prices = np.tile(LIST_PRICES[SKU_OF_CELL], (n_firms, 1))
    attraction = log_attraction(plain_conditions(), prices, np.zeros((1, n_firms, 24)), np.ones((n_firms, 24)))
    everything = np.ones((n_firms, 24), dtype=bool)
    share = open_shares(weigh(attraction[0], everything, log_outside_option(n_firms, outside_share)), everything)
    for channel in range(3):
        assert share[:, channel == CHANNEL_OF_CELL].sum() == pytest.approx(1 - outside_share)


def test_a_day_is_water_filled_past_an_empty_and_a_sold_out_cell() -> None:
    # Attractions: outside 2; firms 3, 4, 1, and 10 for the firm without stock. 1,001 customers.
    # First pass over 2 + 3 + 4 + 1 = 10: wishes 300.3, 400.4, 100.1 -> 300, 400, 100 whole units.
    #   The empty cell's latent demand: 1,001 x 10 / (10 + 10) = 500.5 -> 500, taken from nobody.
    #   Firm 2 has 99: sells 99, 301 customers look again.
    # Second pass over 2 + 3 + 1 = 6: 301 x 3/6 = 150.5 -> 150 to firm 1, 301 x 1/6 = 50.2 -> 50 to firm 3.
    #   Firm 1 has 400 - 300 = 100 left: takes 100, 50 look again.
    # Third pass over 2 + 1 = 3: 50 x 1/3 = 16.7 -> 16 to firm 3. Lost: 301 - 100 - 50 - 16 = 135.
    evening = clear_days(a_day([3, 4, 1, 10], 2, stock=[400, 99, 1_000, 0], potential=1_001))
    assert evening.demanded[0, :, NUT].tolist() == [300, 400, 100, 500]
    assert evening.first[0, :, NUT].tolist() == [300, 99, 100, 0]
    assert evening.received[0, :, NUT].tolist() == [100, 0, 66, 0]
    assert evening.unmet_sold_out.tolist() == [[301, 0, 0]]
    assert evening.lost.tolist() == [[135, 0, 0]]
    assert evening.demanded.sum() == 1_300


def test_what_finds_no_stock_in_three_passes_is_lost_even_where_others_have_some() -> None:
    # Outside 1, firms 4, 3, 2, 1; 1,102 customers over 11: 400, 300, 200, 100 and 300 of firm 1's look again.
    # Second pass over 7: 128, 85, 42. Firm 2 has 10 left, so 118 look once more; firm 3 has 5 left afterwards.
    # Third pass over 1 + 2 + 1 = 4: firm 3 sells its 5 and disappoints the rest, firm 4 gets 118 / 4 = 29.5 -> 29.
    evening = clear_days(a_day([4, 3, 2, 1], 1, stock=[100, 310, 290, 9_000], potential=1_102))
    assert evening.received[0, :, NUT].tolist() == [0, 10, 90, 71]
    assert evening.lost[0, 0] == 300 - 171


def test_nobody_looks_again_when_nobody_sells_out() -> None:
    evening = clear_days(a_day([3, 4], 2, stock=[5_000, 5_000], potential=1_001))
    assert evening.demanded[0, :, NUT].tolist() == [333, 444]
    assert evening.received.sum() == 0
    assert evening.unmet_sold_out.tolist() == evening.lost.tolist() == [[0, 0, 0]]


def test_a_channel_without_any_stock_books_latent_demand_and_sells_nothing() -> None:
    # Each alone against the outside option: 1,001 x 3 / (2 + 3) = 600.6 and 1,001 x 4 / (2 + 4) = 667.3.
    evening = clear_days(a_day([3, 4], 2, stock=[0, 0], potential=1_001))
    assert evening.demanded[0, :, NUT].tolist() == [600, 667]
    assert evening.first.sum() == evening.received.sum() == 0
    assert evening.unmet_sold_out.tolist() == evening.lost.tolist() == [[0, 0, 0]]


def test_fractions_of_wishes_are_kept_from_day_to_day() -> None:
    # 1.42 customers x 1 / (1 + 1) = 0.71 a day: 21.3 in thirty days; the floor of each day would be nothing at all.
    evenings = clear_days(a_day([1], 1, stock=[1_000], potential=1.42, n_days=30))
    demanded = evenings.demanded[:, 0, NUT].tolist()
    assert sum(demanded) == 21
    assert demanded[:5] == [0, 1, 1, 0, 1]  # floors of 0.71, 1.42, 2.13, 2.84, 3.55


def test_a_much_wanted_cell_without_stock_takes_nothing_from_the_others() -> None:
    dear = clear_days(a_day([3, 4, 0.01], 2, stock=[400, 99, 0], potential=1_001))
    cheap = clear_days(a_day([3, 4, 1e6], 2, stock=[400, 99, 0], potential=1_001))
    for name in ("first", "received"):
        assert np.array_equal(getattr(dear, name), getattr(cheap, name))
    assert np.array_equal(dear.demanded[0, :2], cheap.demanded[0, :2])
    assert cheap.demanded[0, 2, NUT] == 1_000


def test_g4_01_one_cell_s_stock_is_never_promised_twice() -> None:
    # Outside 1, firms 0.7 and 8.3; 1,001 customers. First wishes 70 and 830; firm 2 sells its 680, 150 look again;
    # 150 x 0.7 / 1.7 = 61.8 -> 61 want firm 1, which has 30 left; the other 31 find no stock anywhere.
    evening = clear_days(a_day([0.7, 8.3], 1, stock=[100, 680], potential=1_001))
    assert evening.first[0, :, NUT].tolist() == [70, 680]
    assert evening.received[0, :, NUT].tolist() == [30, 0]
    assert evening.unmet_sold_out[0, 0] == 150
    assert evening.lost[0, 0] == 120


@pytest.mark.parametrize("log_outside", [0.7, -900.0, -1_000.0, 900.0])
def test_g4_09_shares_are_finite_and_sum_to_one_for_utilities_of_minus_900(log_outside: float) -> None:
    attraction = np.repeat(np.linspace(-950.0, -900.0, 6)[:, None], 24, axis=1)
    everything = np.ones((6, 24), dtype=bool)
    weights = weigh(attraction, everything, log_outside)
    share = open_shares(weights, everything)
    total = np.add.reduceat(weights.cells.sum(axis=0), FIRST_CELL) + weights.outside
    assert np.isfinite(share).all()
    for channel in range(3):
        outside = weights.outside[channel] / total[channel]
        assert share[:, channel == CHANNEL_OF_CELL].sum() + outside == pytest.approx(1)
    if log_outside > 0:
        assert share.max() == 0  # the outside option takes all
    else:
        assert share[-1].min() > 0.04


def test_g4_09_all_firms_at_the_price_cap_still_sell_a_little() -> None:
    prices = np.tile(5 * LIST_PRICES[SKU_OF_CELL], (6, 1))
    attraction = log_attraction(plain_conditions(), prices, np.zeros((1, 6, 24)), np.full((6, 24), 0.5))
    everything = np.ones((6, 24), dtype=bool)
    share = open_shares(weigh(attraction[0], everything, log_outside_option(6, 0.25)), everything)
    # Independents: 6 x 5^-2.3 x √0.5 = 0.10471 against 6 x 0.25 / 0.75 = 2.
    assert share[:, CHANNEL_OF_CELL == 2].sum() == pytest.approx(0.10471 / 2.10471, rel=1e-4)


def test_cells_that_are_not_offered_never_set_the_scale() -> None:
    offered = np.zeros((2, 24), dtype=bool)
    offered[0] = True
    level, wanted = np.zeros((2, 24)), np.repeat([[0.0], [500.0]], 24, axis=1)
    assert np.array_equal(weigh(level, offered, 0.7).cells[0], weigh(wanted, offered, 0.7).cells[0])
    assert weigh(wanted, offered, 0.7).cells[1].min() > weigh(level, offered, 0.7).cells[1].max()


def test_a_closed_cell_beyond_all_scale_would_have_the_whole_channel() -> None:
    weights = weigh(np.full((1, 24), 5_000.0), np.zeros((1, 24), dtype=bool), 0.0)
    assert open_shares(weights, np.zeros((1, 24), dtype=bool)) == pytest.approx(1)


@st.composite
def market_days(draw: st.DrawFn) -> Offered:
    n_firms, n_days, spread = (
        draw(st.integers(1, 14)),
        draw(st.integers(1, 4)),
        draw(st.sampled_from([0.0, 1.0, 300.0])),
    )
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    units = random.integers(0, draw(st.sampled_from([1, 50, 5_000])), (1 + n_days, n_firms, 24), endpoint=True)
    units *= random.random(units.shape) < draw(st.sampled_from([0.0, 0.3, 0.9, 1.0]))
    attraction = random.normal(-2, spread, (n_days, n_firms, 24))
    weights = weigh(attraction, units.sum(axis=0) > 0, log_outside_option(n_firms, draw(st.floats(0.05, 0.7))))
    potential = n_firms * random.uniform(0, 5_000, (n_days, 24))
    return Offered(weights, potential, units[0], units[1:])


def by_channel(values: Any) -> FloatArray:
    """Sums over firms and each channel's cells, (…, 3)."""
    return np.stack([values[..., channel == CHANNEL_OF_CELL].sum(axis=(-2, -1)) for channel in range(3)], axis=-1)


@given(market_days())
def test_units_are_conserved_on_all_days(offered: Offered) -> None:
    evening = clear_days(offered)
    sold = evening.first + evening.received
    left = offered.stock + (offered.arrivals - sold).cumsum(axis=0)
    stocked = left + sold > 0
    unmet = evening.demanded - evening.first
    for units in (evening.demanded, evening.first, evening.received, unmet, evening.lost, left):
        assert units.dtype == np.int64
        assert (units >= 0).all()
    assert np.array_equal(by_channel(unmet * stocked), evening.unmet_sold_out)
    assert np.array_equal(evening.unmet_sold_out, by_channel(evening.received) + evening.lost)
    # Only what sold out in the first pass looks elsewhere, and it never comes back to where it came from.
    assert (evening.received[(unmet > 0) & stocked] == 0).all()


@given(market_days())
def test_shares_are_finite_and_sum_to_one_on_any_day(offered: Offered) -> None:
    open_cells = offered.stock > 0
    weights = Weights(offered.weights.cells[0], offered.weights.outside[0])
    share = open_shares(weights, open_cells)
    total = by_channel(weights.cells * open_cells) + weights.outside
    assert np.isfinite(share).all()
    assert (share >= 0).all()
    assert (share <= 1).all()
    assert by_channel(share * open_cells) + weights.outside / total == pytest.approx(1)


@given(market_days(), st.randoms(use_true_random=False))
def test_permuting_firms_permutes_the_days(offered: Offered, random: Any) -> None:
    order = list(range(len(offered.stock)))
    random.shuffle(order)
    permuted = Offered(
        weights=Weights(offered.weights.cells[:, order], offered.weights.outside),
        potential=offered.potential,
        stock=offered.stock[order],
        arrivals=offered.arrivals[:, order],
    )
    before, after = clear_days(offered), clear_days(permuted)
    for name in Evenings._fields[:3]:
        assert np.array_equal(getattr(before, name)[:, order], getattr(after, name))
    assert np.array_equal(before.lost, after.lost)
    assert np.array_equal(before.unmet_sold_out, after.unmet_sold_out)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0.0, 30.0))
def test_sums_of_weights_are_exact_in_any_order(n_firms: int, seed: int, spread: float) -> None:
    random = np.random.default_rng(seed)
    weights = weigh(random.normal(0, spread, (n_firms, 24)), np.ones((n_firms, 24), dtype=bool), 0.0)
    for channel in range(3):
        cells = weights.cells[:, channel == CHANNEL_OF_CELL].ravel()
        exact = sum(int(cell) for cell in cells) + int(weights.outside[channel])
        assert exact <= 2**53
        assert float(random.permutation(cells).sum() + weights.outside[channel]) == exact
