"""A run in several orders of replies, firms and markets."""

from pathlib import Path

import pytest

from actors.journal import Journal
from benchmarks.reliability import local_play
from benchmarks.reliability.order import NOWHERE, in_process
from benchmarks.reliability.setting import Size, differing, graded, make_setting
from tests.reliability.commands import figures_of


def calls(folder: Path) -> list[tuple[object, ...]]:
    journal = Journal(folder / "journal.db", writable=False)
    try:
        found = journal._all("SELECT market_id, round, seat, turn FROM calls ORDER BY rowid")
    finally:
        journal.close()
    return found


@pytest.mark.slow
def test_replies_come_in_another_order_and_the_records_are_the_same_bytes(tmp_path: Path) -> None:
    setting = make_setting(tmp_path, NOWHERE, Size(1, 1))
    for order in (0, 1):
        local_play.play(setting, tmp_path / str(order), order)
    first, second = tmp_path / "0", tmp_path / "1"
    assert calls(first) != calls(second)
    assert sorted(calls(first), key=str) == sorted(calls(second), key=str)
    assert graded(first) == graded(second)
    assert differing(first, second) == []


@pytest.mark.slow
def test_another_panel_gives_other_bytes(tmp_path: Path) -> None:
    for seed in (11, 12):
        (tmp_path / f"s{seed}").mkdir()
        local_play.play(make_setting(tmp_path / f"s{seed}", NOWHERE, Size(1, 1, seed)), tmp_path / str(seed), 0)
    assert graded(tmp_path / "11") != graded(tmp_path / "12")
    assert "rounds.valuation" in differing(tmp_path / "11", tmp_path / "12")


@pytest.mark.slow
def test_a_part_of_the_orders_ends_in_identical_bytes() -> None:
    figures = in_process(range(5, 8), Size(1, 2))
    assert (figures["trials"], figures["identical"], figures["differing"]) == (3, 3, [])


@pytest.mark.long
@pytest.mark.ray
@pytest.mark.slow
def test_shards_and_placement_end_in_identical_bytes() -> None:
    figures = figures_of("order", "actors", "--trials", "1", "--start", "1")
    assert (figures["trials"], figures["identical"]) == (1, 1)
