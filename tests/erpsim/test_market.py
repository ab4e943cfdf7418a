"""A round of the market: what any set of offers must lead to, and what everybody may read of it."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim import market
from erpsim.catalogue import ACTIVE, LIST_PRICES, MEAN_PREFERENCE
from erpsim.conditions import conditions, market_study
from erpsim.demand import Weights, weigh
from erpsim.errors import InvariantError
from erpsim.exogenous import demand_shocks
from erpsim.market import Cleared, clear
from erpsim.offer import MarketReport, Offer, Sales
from erpsim.problem import Disturbance, MarketSettings, Opening, Problem

PLENTY = 10_000_000
SETTINGS = MarketSettings(size=1.0, trend=0.02, sensitivity=1.0, outside_share=0.25, material_level=1.0)


def a_problem(*disturbances: Disturbance, seed: int = 7, horizon: int = 6) -> Problem:
    opening = Opening(cash=3_000_000, loan=8_000_000)
    return Problem("P001", seed, "baseline", "calm", horizon, opening, SETTINGS, disturbances)


def an_offer(multiple: float = 1.0, stock: int = PLENTY, arrivals: int = 0, goodwill: float = 0.0) -> Offer:
    """One price level and one stock level in all active cells."""
    prices = np.repeat(np.round(LIST_PRICES * multiple, 2)[:, None], 3, axis=1)
    incoming = np.where(ACTIVE, np.full((30, 12, 3), arrivals), 0)
    incoming[0] = 0
    return Offer(prices, np.full((30, 12, 3), goodwill), np.where(ACTIVE, stock, 0), incoming, np.ones(3))


def random_offer(random: np.random.Generator) -> Offer:
    """An offer of whole cents between the floor and the cap, with many empty cells and some absurd ones."""
    low, high = [(0.3, 0.3), (0.9, 1.6), (0.3, 5.0), (5.0, 5.0)][random.integers(4)]
    multiple = np.where(ACTIVE, random.uniform(low, high, (12, 3)), 1.0)
    level = random.choice([0, 1, 500, 20_000])
    stock = random.integers(0, level, (12, 3), endpoint=True) * (random.random((12, 3)) < 0.7)
    arrivals = random.integers(0, level, (30, 12, 3), endpoint=True) * (random.random((30, 12, 3)) < 0.15)
    arrivals[0] = 0
    return Offer(
        prices=np.round(LIST_PRICES[:, None] * multiple, 2),
        goodwill=random.choice([0.0, 20.0, 5_000.0]) * random.random((30, 12, 3)),
        opening_stock=np.where(ACTIVE, stock, 0),
        arrivals=np.where(ACTIVE, arrivals, 0),
        service=random.uniform(0.5, 1.0, 3),
    )


def random_offers(n_firms: int, seed: int) -> list[Offer]:
    random = np.random.default_rng(seed)
    return [random_offer(random) for _ in range(n_firms)]


def test_at_list_prices_with_full_shelves_firms_share_the_inside_market_by_preference() -> None:
    problem = a_problem()
    cleared = clear(problem, 2, [an_offer()] * 4)
    now = conditions(problem, 2)
    # 4 firms; each gets N_k x season x a_jk x (1 - s0) x shock, in whole units over the round.
    wish = (now.potential * now.season[:, None, None] * 0.75 * now.preference * demand_shocks(problem, 2)).sum(axis=0)
    for sales in cleared.sales:
        assert np.abs(sales.sold.sum(axis=0) - wish).max() < 1
        assert np.array_equal(sales.demanded, sales.sold)
        assert sales.unmet.sum() == sales.received.sum() == 0


def test_a_calm_average_market_sells_what_the_market_study_says(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = a_problem()
    calm = replace(conditions(problem, 1), preference=MEAN_PREFERENCE, season=np.ones(30))
    monkeypatch.setattr(market, "conditions", lambda *_: calm)
    monkeypatch.setattr(market, "demand_shocks", lambda *_: np.ones((30, 12, 3)))
    for sales in clear(problem, 1, [an_offer()] * 6).sales:
        assert np.abs(sales.sold.sum(axis=0) / 30 - market_study(problem)).max() < 1 / 30 + 1e-9
        assert sales.sold[:, 8, 0].sum() == 32_544  # 20,700 EUR / 4.9612 EUR x 0.26 x 30 days = 32,544.5


def test_a_dearer_firm_sells_less_and_an_advertised_one_more() -> None:
    low, list_price, high, loud = clear(
        a_problem(), 1, [an_offer(0.9), an_offer(), an_offer(1.2), an_offer(goodwill=30.0)]
    ).sales
    assert low.sold.sum() > list_price.sold.sum() > high.sold.sum()
    # In independents, 1.2 x list: 1.2^-2.3 = 0.6575 of the sales at list; goodwill 30 of scale 22: 2.364^0.15 = 1.1377.
    assert high.sold[:, :, 2].sum() / list_price.sold[:, :, 2].sum() == pytest.approx(0.6575, abs=0.001)
    assert loud.sold[:, :, 2].sum() / list_price.sold[:, :, 2].sum() == pytest.approx(1.1377, abs=0.001)


def test_a_firm_of_poor_service_draws_the_square_root_of_it() -> None:
    good, poor = clear(a_problem(), 1, [an_offer(), replace(an_offer(), service=np.array([1.0, 0.64, 0.5]))]).sales
    ratio = poor.sold.sum(axis=(0, 1)) / good.sold.sum(axis=(0, 1))
    assert ratio == pytest.approx([1, 0.8, 0.5**0.5], abs=0.001)


def test_stock_is_opening_plus_arrivals_less_sales() -> None:
    offer = an_offer(stock=100, arrivals=20)
    sold = clear(a_problem(), 1, [offer, an_offer(3.0)]).sales[0].sold[:, ACTIVE]
    assert (sold[0] == 100).all()
    assert (sold[1:] == 20).all()


def test_goods_are_on_sale_on_the_morning_they_arrive_and_not_before() -> None:
    arrivals = np.zeros((30, 12, 3), dtype=np.int64)
    arrivals[9, 2, 1] = 50
    late = replace(an_offer(stock=0), arrivals=arrivals)
    sales = clear(a_problem(), 1, [late, an_offer()]).sales[0]
    assert np.argwhere(sales.sold).tolist() == [[9, 2, 1]]
    assert sales.sold[9, 2, 1] == 50
    assert (sales.demanded[:, ACTIVE].sum(axis=0) > 0).all()


def test_cells_that_get_goods_later_in_the_round_set_the_scale_too(monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[Any] = []

    def watched(*asked: Any) -> Weights:
        offered.append(asked[1])
        return weigh(*asked)

    monkeypatch.setattr(market, "weigh", watched)
    clear(a_problem(), 1, [an_offer(stock=0, arrivals=9), an_offer(stock=9), an_offer(stock=0)])
    assert offered[0].tolist() == [[True] * 24, [True] * 24, [False] * 24]


@pytest.mark.parametrize("idle_multiple", [0.3, 1.0, 5.0])
def test_an_idle_firm_takes_nothing_from_its_rivals_at_any_price(idle_multiple: float) -> None:
    working = [an_offer(1.0 + 0.1 * seat, stock=2_000, arrivals=900) for seat in range(5)]
    cleared = clear(a_problem(), 1, [*working, an_offer(idle_multiple, stock=0)])
    reference = clear(a_problem(), 1, [*working, an_offer(2.0, stock=0)])
    for sales, expected in zip(cleared.sales[:5], reference.sales[:5], strict=True):
        assert np.array_equal(sales.sold, expected.sold)
        assert np.array_equal(sales.demanded, expected.demanded)
    assert cleared.sales[5].sold.sum() == 0
    assert cleared.sales[5].unmet.sum() == cleared.sales[5].demanded.sum() > 0


def test_offers_at_the_floor_and_at_the_cap_leave_shares_finite() -> None:
    cleared = clear(a_problem(), 1, [an_offer(0.3), *[an_offer(5.0)] * 5])
    assert cleared.sales[0].sold.sum() > cleared.sales[1].sold.sum() > 0


def test_a_slump_reaches_the_market() -> None:
    slump = Disturbance("demand_slump", "strong", 2, (-0.4,), announced=False)
    before, after = (clear(a_problem(*ones), 2, [an_offer()] * 2).sales[0].sold.sum() for ones in ((), (slump,)))
    assert after / before == pytest.approx(0.6, abs=0.001)


def test_g4_01_a_round_conserves_units_in_every_cell_and_day() -> None:
    offers = [an_offer(1.0, stock=100, arrivals=37), an_offer(1.1, stock=700), an_offer(0.8, arrivals=5, stock=0)]
    for offer, sales in zip(offers, clear(a_problem(), 3, offers).sales, strict=True):
        stock = offer.opening_stock
        for day in range(30):
            stock = stock + offer.arrivals[day] - sales.sold[day]
            assert (stock >= 0).all()
        assert np.array_equal(stock, offer.opening_stock + offer.arrivals.sum(axis=0) - sales.sold.sum(axis=0))


@settings(max_examples=60)
@given(st.integers(1, 14), st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_own_books_and_the_market_s_books_agree_for_any_offers(n_firms: int, seed: int, round_number: int) -> None:
    offers = random_offers(n_firms, seed)
    cleared = clear(a_problem(seed=seed % 50), round_number, offers)
    unmet_sold_out = np.zeros((30, 3), dtype=np.int64)
    received = np.zeros((30, 3), dtype=np.int64)
    for offer, sales in zip(offers, cleared.sales, strict=True):
        first = sales.sold - sales.received
        for units in (sales.demanded, sales.sold, sales.received, sales.unmet, first):
            assert units.dtype == np.int64
            assert (units >= 0).all()
            assert (units[:, ~ACTIVE] == 0).all()
        assert np.array_equal(first + sales.unmet, sales.demanded)
        morning = offer.opening_stock + np.cumsum(offer.arrivals - sales.sold, axis=0) + sales.sold
        assert (sales.sold <= morning).all()
        assert (sales.sold[morning == 0] == 0).all()
        unmet_sold_out += (sales.unmet * (morning > 0)).sum(axis=1)
        received += sales.received.sum(axis=1)
    assert np.array_equal(unmet_sold_out, cleared.books.unmet_sold_out)
    assert np.array_equal(received + cleared.books.lost, unmet_sold_out)
    assert (cleared.books.lost >= 0).all()


@settings(max_examples=40)
@given(st.integers(2, 14), st.integers(0, 2**32 - 1))
def test_permuting_seats_permutes_results_exactly(n_firms: int, seed: int) -> None:
    offers = random_offers(n_firms, seed)
    order = list(np.random.default_rng(seed + 1).permutation(n_firms))
    plain, permuted = clear(a_problem(), 1, offers), clear(a_problem(), 1, [offers[seat] for seat in order])
    for seat, sales in zip(order, permuted.sales, strict=True):
        expected = plain.sales[seat]
        for name in ("demanded", "sold", "received", "unmet"):
            assert np.array_equal(getattr(sales, name), getattr(expected, name))
        assert sorted(order[shown] for shown in sales.report.seats) == list(expected.report.seats)
        rows = [expected.report.seats.index(order[shown]) for shown in sales.report.seats]
        assert np.array_equal(sales.report.prices, expected.report.prices[rows])
        assert np.array_equal(sales.report.shares, expected.report.shares[rows])
        for name in ("volume", "rival_price_mean", "rival_price_low", "rival_price_high", "rival_units"):
            assert np.array_equal(getattr(sales.report, name), getattr(expected.report, name))
    assert np.array_equal(plain.books.lost, permuted.books.lost)
    assert np.array_equal(plain.books.unmet_sold_out, permuted.books.unmet_sold_out)


def test_g4_17_solo_and_arena_of_one_problem_meet_the_same_customers() -> None:
    # The same focal offer against two different fields, with shares taken out: the shocks are all that is left.
    problem = a_problem(seed=23)
    fields = [[an_offer()] * 6, [an_offer(), *[an_offer(1.3)] * 5]]
    daily = [clear(problem, 1, field).sales[0].sold[:, ACTIVE].astype(float) for field in fields]
    moves = [day / day.mean(axis=0) for day in daily]
    assert np.corrcoef(moves[0].ravel(), moves[1].ravel())[0, 1] > 0.98
    other = clear(a_problem(seed=24), 1, fields[0]).sales[0].sold[:, ACTIVE].astype(float)
    assert abs(np.corrcoef(moves[0].ravel(), (other / other.mean(axis=0)).ravel())[0, 1]) < 0.5


def test_the_market_does_not_depend_on_the_horizon() -> None:
    short, long = (clear(a_problem(horizon=horizon), 5, [an_offer()] * 3) for horizon in (6, 12))
    assert np.array_equal(short.sales[0].sold, long.sales[0].sold)


def test_six_hundred_firms_each_keep_the_size_of_market_they_have_among_six() -> None:
    small, large = (clear(a_problem(), 1, [an_offer(1.0, stock=3_000, arrivals=900)] * size) for size in (6, 600))
    assert len(large.sales) == 600
    assert np.array_equal(small.sales[0].demanded, large.sales[599].demanded)
    assert large.books.unmet_sold_out.sum() > 0
    assert large.sales[0].report.n_firms == 600


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prices": 0.0}, r"price of seat 1 for NUT-500 in grocery must be finite and above 0; repair"),
        ({"prices": -1.0}, "price of seat 1"),
        ({"prices": np.nan}, "price of seat 1"),
        ({"prices": np.inf}, "price of seat 1"),
        ({"opening_stock": -1}, "opening stock of seat 1 for NUT-500 in grocery must be finite and at least 0"),
        ({"arrivals": -1}, "arrivals of seat 1"),
        ({"goodwill": -0.5}, "goodwill of seat 1"),
        ({"goodwill": np.inf}, "goodwill of seat 1"),
        ({"service": 0.0}, "service level of seat 1"),
    ],
)
def test_g4_11_an_offer_out_of_bounds_is_refused_before_any_division(change: dict[str, Any], message: str) -> None:
    (name, value), broken = next(iter(change.items())), an_offer()
    array = getattr(broken, name).copy()
    array[..., 1] = np.where(np.arange(array[..., 1].size).reshape(array[..., 1].shape) == 0, value, array[..., 1])
    with pytest.raises(InvariantError, match=message):
        clear(a_problem(), 1, [an_offer(), replace(broken, **{name: array})])


def test_g4_11_a_firm_at_the_price_floor_does_not_get_the_whole_market() -> None:
    cheap, *others = clear(a_problem(), 1, [an_offer(0.3), *[an_offer()] * 5]).sales
    # Independents: 0.3^-2.3 = 15.94 of 15.94 + 5 + 2.
    total = cheap.sold[:, :, 2].sum() + sum(other.sold[:, :, 2].sum() for other in others)
    assert cheap.sold[:, :, 2].sum() / total == pytest.approx(15.94 / 20.94, abs=0.002)


def reports_of(offers: Sequence[Offer]) -> list[MarketReport]:
    return [sales.report for sales in clear(a_problem(), 1, offers).sales]


def test_a_report_of_four_firms_shows_all_prices_and_each_reader_s_rivals() -> None:
    offers = [an_offer(multiple) for multiple in (1.0, 1.2, 1.2, 1.4)]
    reports = reports_of(offers)
    assert reports[0].seats == (0, 1, 2, 3)
    assert reports[0].n_firms == 4
    assert np.array_equal(reports[0].prices, np.stack([offer.prices for offer in offers]))
    # NUT-500 costs 3.90, 4.68, 4.68 and 5.46 EUR: lowest, mean and highest of the other three.
    expected = {0: (4.68, 4.94, 5.46), 1: (3.90, 4.68, 5.46), 2: (3.90, 4.68, 5.46), 3: (3.90, 4.42, 4.68)}
    for seat, report in enumerate(reports):
        read = (report.rival_price_low, report.rival_price_mean, report.rival_price_high)
        assert [float(prices[0, 1]) for prices in read] == pytest.approx(expected[seat], abs=1e-12)


def test_shares_and_volume_are_of_all_units_sold() -> None:
    cleared = clear(a_problem(), 1, [an_offer(1.0), an_offer(1.3), an_offer(1.1, stock=0)])
    units = np.array([sales.sold.sum(axis=0) for sales in cleared.sales])
    for seat, sales in enumerate(cleared.sales):
        assert np.array_equal(sales.report.volume, units.sum(axis=0))
        assert np.array_equal(sales.report.rival_units, units.sum(axis=0) - units[seat])
        assert sales.report.shares.sum(axis=0) == pytest.approx(ACTIVE.astype(float))
        assert sales.report.shares[:, 0, 1] == pytest.approx(units[:, 0, 1] / units[:, 0, 1].sum())
        assert sales.report.shares[2].max() == 0


def test_shares_are_zero_where_nobody_sold() -> None:
    (report,) = reports_of([an_offer(stock=0)])
    assert report.shares.max() == 0
    assert report.volume.sum() == 0


def test_a_firm_alone_reads_list_prices_for_its_rivals() -> None:
    (report,) = reports_of([an_offer(1.5)])
    for name in ("mean", "low", "high"):
        assert np.array_equal(getattr(report, f"rival_price_{name}"), np.repeat(LIST_PRICES[:, None], 3, axis=1))
    assert report.rival_units.sum() == 0


def test_a_report_of_more_than_twelve_firms_shows_the_reader_and_the_five_largest_rivals() -> None:
    # Every cell sells out, so revenue is stock x price: seat 6 with 700 x 1.3 = 910 comes before seat 8 with 900.
    offers = [an_offer(1.3 if seat == 6 else 1.0, stock=100 * (seat + 1)) for seat in range(13)]
    reports = reports_of(offers)
    assert reports[0].seats == (0, 6, 9, 10, 11, 12)
    assert reports[10].seats == (6, 8, 9, 10, 11, 12)
    assert reports[0].prices.shape == reports[0].shares.shape == (6, 12, 3)
    assert reports[0].shares[:, 0, 1] == pytest.approx(np.array([1, 7, 10, 11, 12, 13]) / 91)
    assert reports_of(offers[:12])[0].seats == tuple(range(12))


def test_everything_cleared_is_read_only() -> None:
    cleared = clear(a_problem(), 1, random_offers(13, 5))
    _assert_read_only(cleared)
    _assert_read_only(clear(a_problem(), 1, random_offers(2, 5)))


def _assert_read_only(cleared: Cleared) -> None:
    parts: tuple[Sales | MarketReport, ...] = (*cleared.sales, *(sales.report for sales in cleared.sales))
    for part in parts:
        arrays = [value for one in fields(part) if isinstance(value := getattr(part, one.name), np.ndarray)]
        assert len(arrays) >= 4
        assert not any(array.flags.writeable for array in arrays)
    assert not any(array.flags.writeable for array in cleared.books)
