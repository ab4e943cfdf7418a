"""The engine benchmark plays, records and tells its parts by stable names; no time is judged."""

import gc
import json
import os
from collections.abc import Iterator

import pytest

from benchmarks import engine


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Give the process its cores and its memory's habits back."""
    cores, thresholds = os.sched_getaffinity(0), gc.get_threshold()
    yield
    os.sched_setaffinity(0, cores)
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def test_one_line_with_every_part_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    engine.main(["--problems", "1", "--repeats", "1", "--no-kernel"])
    found = json.loads(capsys.readouterr().out)
    parts = {"observe", "decide", "repair", "plan", "clear", "settle", "records", "journal", "export", "other"}
    assert set(found["ms"]) == parts
    assert (found["benchmark"], found["firms"], found["problems"], found["repeats"]) == ("engine", 6, 1, 1)
    assert found["kernel_ratio"] is found["ideal"] is None
    assert {"market_rounds_per_s", "range", "ms_total", "python", "machine", "cores", "load"} <= set(found)
    assert found["ms_total"] == pytest.approx(sum(found["ms"].values()), abs=0.01)
