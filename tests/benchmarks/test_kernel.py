"""The compiled loop clears to the unit as we do, and the benchmark tells its ratio by stable names."""

import json

import pytest

from benchmarks import kernel

needs_compiler = pytest.mark.skipif(kernel.compiler() is None, reason="no C compiler")


@needs_compiler
def test_ratios_by_firms_and_an_exponent_come_out(capsys: pytest.CaptureFixture[str]) -> None:
    kernel.main(["--firms", "2", "6", "--repeats", "1"])
    found = json.loads(capsys.readouterr().out)
    assert set(found["kernel_ratio"]) == {"2", "6"}
    assert isinstance(found["exponent"], float)
    assert [row["firms"] for row in found["by_firms"]] == [2, 6]
    assert all(row["units_sold"] > 0 and row["ms"] > 0 and row["compiled_ms"] > 0 for row in found["by_firms"])


@needs_compiler
@pytest.mark.parametrize("n_firms", [1, 7, 40])
def test_the_loop_ends_with_the_same_units_where_cells_sell_out(n_firms: int) -> None:
    board = kernel.played_board(n_firms)
    with kernel.compiled() as library:
        apart = kernel.differences(board, kernel.Loop(library, board))
    assert apart["units"] == 0
    assert apart["weights"] < 1e-9
    evenings = kernel.ours(board)[1]
    assert (evenings.demanded > evenings.first).any()
    assert evenings.received.any() or n_firms == 1


def test_without_a_compiler_a_line_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(kernel, "compiler", lambda: None)
    kernel.main([])
    told = capsys.readouterr()
    assert json.loads(told.out)["kernel_ratio"] is None
    assert "no C compiler" in told.err
