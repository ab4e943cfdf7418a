"""The same run in many orders, which must end in the same bytes.

    python -m benchmarks.reliability.order here   --trials 160
    python -m benchmarks.reliability.order actors --trials 40

`here` plays the plain actor classes in this process: the trial's number draws when each reply comes, in which order
the firms stand in the messages, which market actor plays which market and which begins first. `actors` plays through
Ray on a cluster of two nodes: the number draws the delay of each reply, 1, 2 or 4 shards, and the node of each.
`--start` names the first trial of a part. Each trial is a line on standard error, the last line on standard output is
JSON; exit code 1 if any trial's records differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from actors import remote
from benchmarks.reliability import local_play, warm
from benchmarks.reliability.kill_actors import two_nodes
from benchmarks.reliability.server import logging_server
from benchmarks.reliability.setting import Size, graded, make_setting
from erpsim.errors import ErpbenchError

DELAY_S: Final = 0.1
SHARDS: Final = (1, 2, 4)
NOWHERE: Final = "http://127.0.0.1:9/v1"


def in_process(numbers: Sequence[int], size: Size) -> dict[str, Any]:
    """Play in this process; the first play, in order 0, is held against all others."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="erpbench-order-") as name:
        folder = Path(name)
        setting = make_setting(folder, NOWHERE, size)
        local_play.play(setting, folder / "first", 0)
        wanted, differing = graded(folder / "first"), []
        for number in numbers:
            local_play.play(setting, folder / str(number), number)
            same = graded(folder / str(number)) == wanted
            differing += [] if same else [number]
            _tell(number, same)
    return _figures("here", numbers, differing, began)


def through_actors(numbers: Sequence[int], size: Size) -> dict[str, Any]:
    """Play through Ray; one undisturbed play on one shard is held against all others."""
    began = time.monotonic()
    placed, differing = Counter[str](), list[int]()
    with tempfile.TemporaryDirectory(prefix="erpbench-order-") as name, logging_server(Path(name), DELAY_S) as server:
        folder = Path(name)
        setting = make_setting(folder, server.url, size)
        with two_nodes(server, setting, folder):
            warm.play(setting, folder / "first", remote.alive_nodes()[:1])
            wanted = graded(folder / "first")
            for number in numbers:
                server.shuffle(number)
                nodes = _placement(number)
                placed[f"{len(nodes)} shards, {len(set(nodes))} nodes"] += 1
                try:
                    warm.play(setting, folder / str(number), nodes)
                    same = graded(folder / str(number)) == wanted
                except ErpbenchError as error:
                    print(f"trial {number}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                    same = False
                differing += [] if same else [number]
                _tell(number, same, shards=len(nodes), nodes=len(set(nodes)))
    return {**_figures("actors", numbers, differing, began), "placed": dict(placed)}


def _tell(number: int, same: bool, **how: int) -> None:
    """A line for a trial that is done, so that a part that is broken off has its count."""
    print(json.dumps({"number": number, "identical": same, **how}), file=sys.stderr, flush=True)


def _placement(number: int) -> list[str]:
    rng = Random(f"placement {number}")  # noqa: S311 - which node
    return [rng.choice(remote.alive_nodes()) for _ in range(SHARDS[number % len(SHARDS)])]


def _figures(what: str, numbers: Sequence[int], differing: Sequence[int], began: float) -> dict[str, Any]:
    return {
        "benchmark": "order",
        "what": what,
        "trials": len(numbers),
        "numbers": [numbers[0], numbers[-1]] if numbers else [],
        "identical": len(numbers) - len(differing),
        "differing": list(differing),
        "seconds": round(time.monotonic() - began, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability.order")
    parser.add_argument("what", choices=("here", "actors"))
    parser.add_argument("--trials", type=int, help="160 here, 40 through actors")
    parser.add_argument("--start", type=int, default=1, help="number of the first trial")
    given = parser.parse_args(arguments)
    if given.what == "here":
        figures = in_process(range(given.start, given.start + (given.trials or 160)), Size(2, 2))
    else:
        figures = through_actors(range(given.start, given.start + (given.trials or 40)), Size(4, 2))
    print(json.dumps(figures), flush=True)
    return 1 if figures["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
