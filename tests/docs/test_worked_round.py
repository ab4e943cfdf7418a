"""The worked round of the rules page, by plain arithmetic: only what chance draws is taken from the game's code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from erpsim.exogenous import demand_shocks, leads, material_prices, receivable_days
from erpsim.ledger import Account
from erpsim.streams import stream
from tests.docs.worked_round import PROBLEM, Worked, played

LIST: Final = (3.90, 4.23, 4.23, 3.79, 3.77, 4.13, 4.61, 5.26, 5.27, 4.38, 4.35, 5.06)
TASTE: Final = (0.14, 0.24, 0.26, 0.12, 0.08, 0.16)
EXPONENT: Final = (3.5, 3.0, 2.3)
WEEKLY: Final = (103_500, 414_000, 155_000)
BOUGHT: Final = {1: 7_200, 4: 8_400, 5: 8_400, 6: 24_000, 7: 24_000}
BLUEBERRY_KG, GROCERY = 7, 1
A_OUT: Final = 0.25 / 0.75


class Cell(NamedTuple):
    sku: int
    channel: int


class Day(NamedTuple):
    wished: int
    sold: int


def sells(sku: int, channel: int) -> bool:
    return channel == 1 or (channel == 0) == (sku >= 6)


def cells() -> Iterator[Cell]:
    yield from (Cell(sku, channel) for channel in range(3) for sku in range(12) if sells(sku, channel))


def mean_taste(cell: Cell) -> float:
    return TASTE[cell.sku % 6] / (2 if cell.channel == 1 else 1)


def taste(cell: Cell) -> float:
    drawn = stream(PROBLEM.seed, 0, "preference").standard_normal((12, 3))
    shaken = {one: mean_taste(one) * math.exp(0.25 * drawn[one]) for one in cells() if one.channel == cell.channel}
    return shaken[cell] / sum(shaken.values())


def potential(channel: int, day: int) -> float:
    mean_price = sum(mean_taste(cell) * LIST[cell.sku] for cell in cells() if cell.channel == channel)
    phase = stream(PROBLEM.seed, 0, "season").uniform(0, 360)
    season = 1 + 0.08 * math.sin(2 * math.pi * (day + phase) / 360)
    return WEEKLY[channel] / 5 / mean_price / 0.75 * season


def attraction(cell: Cell, day: int) -> float:
    if cell != (BLUEBERRY_KG, GROCERY):
        return taste(cell)
    goodwill = 100 * (1 - 0.95**day)
    return taste(cell) * (6.00 / 5.26) ** -3 * (1 + goodwill / 30) ** 0.10


def selling(cell: Cell, arrives: int, units: int) -> list[Day]:
    """Thirty days of one cell: what it is wished for and sells, if goods arrive on one morning and nowhere else."""
    own, running, days = units, 0.0, []
    grocery = Cell(BLUEBERRY_KG, GROCERY)
    for day in range(1, 31):
        stocked = cell == grocery and day >= arrives and own > 0
        rival = attraction(grocery, day) if cell.channel == GROCERY and cell != grocery and day in OPEN_DAYS else 0.0
        pull = attraction(cell, day)
        before = math.floor(running)
        running += (
            potential(cell.channel, day) * demand_shocks(PROBLEM, 1)[day - 1, *cell] * pull / (A_OUT + rival + pull)
        )
        wished = math.floor(running) - before
        sold = min(own, wished) if stocked else 0
        own -= sold
        days.append(Day(wished, sold))
    return days


OPEN_DAYS: Final = range(4, 9)
"""Days on which the one cell has goods in the morning; the test of sales holds it."""


@pytest.fixture(scope="module")
def game() -> Worked:
    return played()


@pytest.fixture(scope="module")
def days() -> list[Day]:
    return selling(Cell(BLUEBERRY_KG, GROCERY), arrives=4, units=24_000)


def cents(amount: float) -> int:
    return round(100 * amount)


def value_of(material: int) -> int:
    return cents(BOUGHT[material] * float(material_prices(PROBLEM, 1)[0, material]) * 1.03)


def test_nothing_is_repaired(game: Worked) -> None:
    assert game.events == ()


def test_materials_cost_and_arrive_as_worked(game: Worked) -> None:
    expected = {n: (value_of(n), 1 + int(leads(PROBLEM, 1)[0, n, 1])) for n in BOUGHT}
    assert {line.material: (line.value, line.receipt_day) for line in game.plan.purchases.lines} == expected


def test_the_run_starts_when_the_last_material_is_there(game: Worked) -> None:
    start = max(7, 24 * (max(1 + int(leads(PROBLEM, 1)[0, n, 1]) for n in BOUGHT) - 1))
    (run,) = game.plan.schedule.runs
    assert (run.start / 24_000, run.end / 24_000) == (start, start + 24)
    assert start + 24 == 24 * 3  # the end of day 3: on sale from day 4 on


def test_thirty_days_of_sales(game: Worked, days: list[Day]) -> None:
    place = (slice(None), BLUEBERRY_KG, GROCERY)
    assert [day.wished for day in days] == game.sales.demanded[place].tolist()
    assert [day.sold for day in days] == game.sales.sold[place].tolist()
    assert sum(day.sold for day in days) == 24_000
    assert [number for number, day in enumerate(days, start=1) if day.sold] == list(OPEN_DAYS)
    assert game.lost == days[7].wished - days[7].sold


def test_empty_cells_book_what_they_would_have_drawn(game: Worked) -> None:
    asked = [sum(day.wished for day in selling(cell, arrives=31, units=0)) for cell in cells()]
    empty = game.sales.demanded.sum(axis=0)
    assert [units for units, cell in zip(asked, cells(), strict=True) if cell != (7, 1)] == [
        int(empty[cell]) for cell in cells() if cell != (7, 1)
    ]
    grocery = sum(int(empty[cell]) for cell in cells() if cell.channel == GROCERY)
    assert game.settled.state.service[GROCERY] == pytest.approx(max(0.5, 0.5 + 0.5 * 24_000 / grocery))


def test_income_balance_and_value(game: Worked, days: list[Day]) -> None:
    materials = sum(value_of(n) for n in BOUGHT)
    carbon_kg = 0.30 * 24_000 + 50 * 7 + 0.25 * 24_000 + 10_000 + 15_000 + 900 * 30 + 0.35 * 24_000
    interest = 30 * round(800_000_000 * (0.04875 + 0.03) / 360)
    depreciation = 30 * (round(2_400_000_000 / 3_600) + round(150_000_000 / 9_000))
    costs = (
        materials + 30 * cents(15_000) + cents(3_000) + cents(0.05 * 24_000) + cents(3_000)
        + interest + depreciation + cents(50_000) + cents(0.08 * carbon_kg)
    )  # fmt: skip
    before_tax = 24_000 * cents(6.00) - costs
    tax = round(0.25 * before_tax)
    assert game.settled.result.net_income == before_tax - tax
    assert round(float(game.settled.result.carbon_kg.sum()), 6) == carbon_kg

    paid = [number + int(receivable_days(PROBLEM, 1)[number - 1, GROCERY]) for number in OPEN_DAYS]
    assert max(paid) <= 30  # so that all of the revenue is in the till
    cash = cents(3_000_000) + 24_000 * cents(6.00) - (costs - depreciation)
    assert int(game.settled.state.balances[Account.CASH]) == cash

    fixed = cents(24_000_000 + 1_500_000 + 500_000) - depreciation
    value = (cash + 0.5 * fixed - 800_000_000 - tax) / 100
    assert game.settled.result.valuation == pytest.approx(value, abs=0.01)
    debt = (800_000_000 + tax - cash) / 1e8
    assert game.settled.result.company_risk == pytest.approx(0.0475 + 0.0025 * (debt - 4.5), abs=1e-9)
