"""Thirty market days of F firms cleared by us and by a hand-written compiled loop of the same arithmetic.

    python -m benchmarks.kernel [--firms 6 60 600] [--repeats 30]

The compiled loop is `kernel_loop.c`, built with cc in a temporary folder for this one run; without a compiler nothing
is measured, and a line says so. Before anything is timed the outputs are compared: weights may differ by what two
mathematics libraries' exponentials do, units cleared from equal weights may not differ at all. Prints one JSON line; a
time is the shortest of the repeats, ours and theirs taken in turn. `ratio` is our time over theirs, `exponent` the
slope of our log time against log F between the two largest F.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import math
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.arguments import positive
from benchmarks.machine import machine
from ecologies import RULE_NAMES, rule_policy, shipped_panel
from ecologies.local import play_rounds
from erpsim.catalogue import LIST_PRICES
from erpsim.conditions import Conditions, conditions
from erpsim.demand import (
    CHANNEL_OF_CELL,
    SKU_OF_CELL,
    Evenings,
    Offered,
    Weights,
    clear_days,
    log_attraction,
    log_outside_option,
    weigh,
)
from erpsim.exogenous import demand_shocks
from erpsim.offer import Offer
from erpsim.problem import Problem
from erpsim.units import DAYS, FloatArray, IntArray

SOURCE: Final = Path(__file__).with_name("kernel_loop.c")
CELLS: Final = len(CHANNEL_OF_CELL)
CHANNELS: Final = 3
RULES: Final = (*RULE_NAMES, "balanced")
ROUND: Final = 3
"""The round whose offers are cleared; stocks are as rule firms keep them by then."""
TOLERANCE: Final = 1e-9
"""Largest relative difference of a weight."""

_CELL: Final = (SKU_OF_CELL, CHANNEL_OF_CELL)


class Board(NamedTuple):
    """What F firms bring to a round's market."""

    now: Conditions
    prices: FloatArray  # (F, 24) EUR/unit
    goodwill: FloatArray  # (30, F, 24) EUR/day
    service: FloatArray  # (F, 24)
    stock: IntArray  # (F, 24) units
    arrivals: IntArray  # (30, F, 24) units
    potential: FloatArray  # (30, 24) units/day


def played_board(n_firms: int) -> Board:
    """What F firms bring to one round: the offers of six rule firms over and over, each time at other prices."""
    problem = shipped_panel().problems[0]
    now, offers = conditions(problem, ROUND), asyncio.run(_offers(problem))
    random = np.random.default_rng(n_firms)
    chosen = [offers[seat % len(offers)] for seat in range(n_firms)]
    prices = np.stack([offer.prices for offer in chosen])[:, *_CELL] * random.uniform(0.97, 1.03, (n_firms, CELLS))
    potential = (n_firms * now.potential * now.season[:, None])[:, CHANNEL_OF_CELL]
    arrays = {
        "prices": np.round(prices, 2),
        "goodwill": np.stack([offer.goodwill for offer in chosen], axis=1)[:, :, *_CELL],
        "service": np.stack([offer.service for offer in chosen])[:, CHANNEL_OF_CELL],
        "stock": np.stack([offer.opening_stock for offer in chosen])[:, *_CELL],
        "arrivals": np.stack([offer.arrivals for offer in chosen], axis=1)[:, :, *_CELL],
        "potential": potential * demand_shocks(problem, ROUND)[:, *_CELL],
    }
    return Board(now, **{name: np.ascontiguousarray(array) for name, array in arrays.items()})


async def _offers(problem: Problem) -> list[Offer]:
    rounds = play_rounds(problem, [rule_policy(name) for name in RULES])
    return [[turn.plan.offer for turn in played.turns] async for played in rounds][ROUND - 1]


def ours(board: Board) -> tuple[Weights, Evenings]:
    """The round cleared by `erpsim.demand`."""
    attraction = log_attraction(board.now, board.prices, board.goodwill, board.service)
    offered = board.stock + np.add.reduce(board.arrivals) > 0
    weights = weigh(attraction, offered, log_outside_option(len(board.prices), board.now.outside_share))
    return weights, clear_days(Offered(weights, board.potential, board.stock, board.arrivals))


class Loop:
    """The compiled loop, with its buffers for one board."""

    def __init__(self, library: ctypes.CDLL, board: Board) -> None:
        """Lay the board out as the loop reads it."""
        n_firms = len(board.prices)
        self._library = library
        now, shape = board.now, (DAYS, n_firms, CELLS)
        cell_now = (now.price_exponent, now.goodwill_exponent, now.goodwill_scale)
        self.weights = Weights(np.empty(shape), np.empty((DAYS, CHANNELS)))
        units = (np.empty(shape, dtype=np.int64) for _ in range(3))
        sums = (np.empty((DAYS, CHANNELS), dtype=np.int64) for _ in range(2))
        self.evenings = Evenings(*units, *sums)
        self._weigh = (
            np.ascontiguousarray(CHANNEL_OF_CELL),
            np.ascontiguousarray(now.preference[SKU_OF_CELL, CHANNEL_OF_CELL]),
            np.ascontiguousarray(LIST_PRICES[SKU_OF_CELL]),
            *(np.ascontiguousarray(values[CHANNEL_OF_CELL]) for values in cell_now),
            *board[1:6],
            *self.weights,
        )
        self._clear = (
            np.ascontiguousarray(CHANNEL_OF_CELL),
            *self.weights,
            *board[4:6],
            board.potential,
            *self.evenings,
        )
        self._sizes = (ctypes.c_long(DAYS), ctypes.c_long(n_firms))
        self._log_outside = ctypes.c_double(log_outside_option(n_firms, now.outside_share))

    def weigh(self) -> None:
        """Fill `weights`."""
        self._library.weigh(*self._sizes, self._log_outside, *(_pointer(array) for array in self._weigh))

    def clear(self) -> None:
        """Fill `evenings` from `weights`."""
        self._library.clear(*self._sizes, *(_pointer(array) for array in self._clear))

    def run(self) -> None:
        """Do both."""
        self.weigh()
        self.clear()


def _pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def compiler() -> str | None:
    """Path of a C compiler."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@contextmanager
def compiled() -> Iterator[ctypes.CDLL]:
    """Build the loop for this machine and load it."""
    command = compiler()
    assert command is not None, "no C compiler"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "kernel_loop.so")
        # No fused multiply-add: it rounds once where numpy rounds twice.
        flags = ["-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC"]
        subprocess.run([command, *flags, str(SOURCE), "-o", str(target), "-lm"], check=True)  # noqa: S603 - our own source
        yield ctypes.CDLL(str(target))


def differences(board: Board, loop: Loop) -> dict[str, float]:
    """Largest relative difference of a weight, and units that differ when both clear from the same weights."""
    weights, evenings = ours(board)
    loop.weigh()
    apart = max(
        float(np.max(np.abs(mine - theirs) / np.maximum(mine, 1.0)))
        for mine, theirs in zip(weights, loop.weights, strict=True)
    )
    loop.weights.cells[:], loop.weights.outside[:] = weights
    loop.clear()
    units = sum(int(np.abs(mine - theirs).sum()) for mine, theirs in zip(evenings, loop.evenings, strict=True))
    return {"weights": apart, "units": units}


def shortest(functions: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Shortest time of each, taken in turn, s."""
    best = [math.inf] * len(functions)
    for _ in range(repeats):
        for index, function in enumerate(functions):
            started = time.perf_counter()
            function()
            best[index] = min(best[index], time.perf_counter() - started)
    return best


def compare(firms: Sequence[int], repeats: int) -> dict[str, Any]:
    """Time both for each number of firms; raises AssertionError where they differ."""
    with compiled() as library:
        rows = [_timed(library, n_firms, repeats) for n_firms in firms]
    return {
        "benchmark": "kernel",
        "repeats": repeats,
        "kernel_ratio": {str(row["firms"]): row["ratio"] for row in rows},
        "exponent": exponent(rows),
        "by_firms": rows,
        "numpy": np.__version__,
        "machine": platform.machine(),
        **machine(),
    }


def _timed(library: ctypes.CDLL, n_firms: int, repeats: int) -> dict[str, Any]:
    board = played_board(n_firms)
    loop = Loop(library, board)
    apart = differences(board, loop)
    assert apart["units"] == 0, f"{n_firms} firms: {apart['units']} units differ"
    assert apart["weights"] < TOLERANCE, f"{n_firms} firms: weights differ by {apart['weights']}"
    offered = Offered(loop.weights, board.potential, board.stock, board.arrivals)
    timed = (partial(ours, board), loop.run, partial(clear_days, offered), loop.clear)
    whole, whole_loop, days, days_loop = shortest(timed, repeats)
    return {
        "firms": n_firms,
        "ms": round(1e3 * whole, 4),
        "compiled_ms": round(1e3 * whole_loop, 4),
        "ratio": round(whole / whole_loop, 2),
        "water_filling_ms": round(1e3 * days, 4),
        "water_filling_compiled_ms": round(1e3 * days_loop, 4),
        "units_sold": int((loop.evenings.first + loop.evenings.received).sum()),
    }


def exponent(rows: Sequence[dict[str, Any]]) -> float | None:
    """Slope of our log time against log F between the two largest F; None with fewer than two."""
    if len(rows) < 2:
        return None
    smaller, larger = sorted(rows, key=lambda row: int(row["firms"]))[-2:]
    return round(math.log(larger["ms"] / smaller["ms"]) / math.log(larger["firms"] / smaller["firms"]), 3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel", description=__doc__.partition("\n")[0])
    parser.add_argument("--firms", type=positive, nargs="+", default=[6, 60, 600], help="numbers of firms (6 60 600)")
    parser.add_argument("--repeats", type=positive, default=30, help="runs of which the shortest counts (30)")
    options = parser.parse_args(arguments)
    if compiler() is None:
        print("no C compiler (cc, gcc or clang) is installed: nothing to compare with", file=sys.stderr)
        print(json.dumps({"benchmark": "kernel", "kernel_ratio": None, "skipped": "no C compiler"}))
        return
    print(json.dumps(compare(options.firms, options.repeats)))


if __name__ == "__main__":
    main()
