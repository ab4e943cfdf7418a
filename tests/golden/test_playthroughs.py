"""Golden playthroughs: the text is what is played today, and it adds up by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.golden.games import GAMES, game
from tests.golden.playthrough import write

FOLDER = Path(__file__).parent
Table = dict[str, dict[str, Decimal]]


@dataclass
class Round:
    """The tables of one round, as read from the text."""

    tables: dict[str, Table] = field(default_factory=dict)


def read(text: str) -> list[Round]:
    """Read the tables of every round of a golden text."""
    rounds: list[Round] = []
    columns: list[str] = []
    table: Table = {}
    for line in text.splitlines():
        name, cells = line[:28].strip(), [line[at : at + 18].strip() for at in range(28, len(line), 18)]
        if line.startswith("== Round"):
            rounds.append(Round())
        elif line.startswith("["):
            columns, table = cells, {}
            rounds[-1].tables[name[1:-1]] = table
        elif not line:
            columns = []
        elif columns:
            table[name] = dict(zip(columns, map(Decimal, cells), strict=True))
    return rounds


def golden(problem_id: str) -> str:
    return (FOLDER / f"{problem_id}.txt").read_text(encoding="utf-8")


@pytest.fixture(params=GAMES)
def rounds(request: pytest.FixtureRequest) -> list[Round]:
    """The rounds of each golden text, read from the text alone."""
    return read(golden(request.param))


@pytest.mark.parametrize("problem_id", GAMES)
def test_the_game_is_played_as_written(problem_id: str) -> None:
    assert write(game(problem_id)) == golden(problem_id)


def test_text_holds_six_rounds_of_six_tables(rounds: list[Round]) -> None:
    assert len(rounds) == 6
    for one in rounds:
        assert list(one.tables) == ["cells", "goods", "materials", "ledger", "firms"]
        assert len(one.tables["cells"]) == 24


def test_postings_add_up_to_the_printed_balances(rounds: list[Round]) -> None:
    for one in rounds:
        for account, row in one.tables["ledger"].items():
            weeks = sum(amount for column, amount in row.items() if column.startswith("week"))
            assert row["opening"] + weeks == row["closing"], account


def test_every_column_of_the_ledger_balances(rounds: list[Round]) -> None:
    for one in rounds:
        ledger = one.tables["ledger"]
        for column in ledger["cash"]:
            assert sum(row[column] for row in ledger.values()) == 0, column


def test_balances_carry_into_the_next_round(rounds: list[Round]) -> None:
    zero = {"opening": Decimal(0), "closing": Decimal(0)}
    for before, after in pairwise(rounds):
        old, new = before.tables["ledger"], after.tables["ledger"]
        accounts = list(dict.fromkeys([*old, *new]))
        permanent = accounts[: accounts.index("capital") + 1]
        for account in permanent:
            assert old.get(account, zero)["closing"] == new.get(account, zero)["opening"], account
        carried = sum(row["closing"] for name, row in old.items() if name not in permanent)
        assert new["retained_earnings"]["opening"] == carried


def test_units_add_up_to_the_printed_stocks(rounds: list[Round]) -> None:
    for one in rounds:
        for sku, row in one.tables["goods"].items():
            assert row["opening"] + row["arrived"] - row["sold"] == row["closing"], sku
        for material, row in one.tables["materials"].items():
            assert row["opening"] + row["received"] - row["used"] == row["closing"], material


def test_stocks_carry_into_the_next_round(rounds: list[Round]) -> None:
    for before, after in pairwise(rounds):
        for sku, row in before.tables["goods"].items():
            assert row["closing"] + row["overnight"] == after.tables["goods"][sku]["opening"]
        for material, row in before.tables["materials"].items():
            assert row["closing"] == after.tables["materials"][material]["opening"]


def test_revenue_is_units_sold_at_the_printed_prices(rounds: list[Round]) -> None:
    for one in rounds:
        revenue = sum(row["price"] * row["sold"] for row in one.tables["cells"].values())
        assert -one.tables["ledger"].get("revenue", {"closing": Decimal(0)})["closing"] == revenue


def test_own_books_of_each_cell_hold(rounds: list[Round]) -> None:
    for one in rounds:
        for cell, row in one.tables["cells"].items():
            assert row["first"] + row["unmet"] == row["demanded"], cell
            assert row["first"] + row["received"] == row["sold"], cell
        for sku, row in one.tables["goods"].items():
            sold = sum(cell["sold"] for name, cell in one.tables["cells"].items() if name.startswith(sku + "/"))
            assert sold == row["sold"]


def test_a_changed_figure_does_not_add_up() -> None:
    text = golden(next(iter(GAMES)))
    first = read(text)[0].tables["ledger"]["cash"]["closing"]
    changed = read(text.replace(f"{first:.2f}", f"{first + 1:.2f}"))
    with pytest.raises(AssertionError):
        test_postings_add_up_to_the_printed_balances(changed)
