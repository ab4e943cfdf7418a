"""Where the time went, by part."""

import pandas as pd
import pytest

from analysis.times import PARTS, times
from erpsim.records import TimingRow
from tests.analysis import samples

SETTINGS = {"solo/P001/a": ("solo", ""), "arena/P001": ("arena", "")}


def _timings(*rows: TimingRow) -> pd.DataFrame:
    return samples.frame(rows, TimingRow)


def test_seconds_of_an_ecology_are_added_up_by_part_and_shares_make_one() -> None:
    found = times(
        _timings(
            TimingRow("solo/P001/a", 1, 1.0, 6.0, 0.0, 0.5, 0.5, 2.0),
            TimingRow("solo/P001/a", 2, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0),
            TimingRow("arena/P001", 1, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0),
            TimingRow("no/market/of/the/plan", 1, 99.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        ),
        SETTINGS,
    ).set_index(["ecology", "part"])
    assert found["seconds"]["solo"].to_dict() == dict(zip(PARTS, (1.0, 16.0, 0.0, 0.5, 0.5, 2.0), strict=True))
    assert found["share"]["solo", "model"] == 0.8
    assert found["share"]["arena", "tools"] == 0.25
    assert found["share"].groupby("ecology").sum().to_dict() == pytest.approx({"arena": 1.0, "solo": 1.0})


def test_a_source_without_times_has_none_and_a_time_of_nothing_has_no_shares() -> None:
    empty = samples.records([]).timings
    assert list(empty.columns) == list(TimingRow.__dataclass_fields__)
    assert times(empty, SETTINGS).empty
    nothing = times(_timings(TimingRow("arena/P001", 1, *[0.0] * 6)), SETTINGS)
    assert nothing["share"].isna().all()
