"""The rows beside a report: they make the same report again, and a spreadsheet runs none of them."""

import csv
import io
from pathlib import Path

from analysis.foreign import read_foreign
from analysis.report import build
from analysis.rows import row_csv, row_frames
from analysis.source import Source
from analysis.tables import csv_text
from tests.analysis import hostile
from tests.analysis.samples import event, planned, records, two_by_two


def test_rows_read_again_give_the_same_figures(tmp_path: Path) -> None:
    made = records(two_by_two(), [event("solo", "a", "traceback", n=2), event("solo", None, "price_adjusted")])
    first = build(Source("run", "A run", made, planned(two_by_two())))
    for name, frame in row_frames(first.material).items():
        (tmp_path / f"{name}.csv").write_text(row_csv(frame), encoding="utf-8")
    again = build(read_foreign(tmp_path))
    for part in ("models", "agreement", "interventions", "coverage"):
        assert again.figures[part] == first.figures[part], part
    assert again.figures["certificate"]["routes"] == first.figures["certificate"]["routes"]


def test_no_cell_of_any_file_is_a_formula() -> None:
    report = build(hostile.source())
    texts = [row_csv(frame) for frame in row_frames(report.material).values()] + [*map(csv_text, report.tables)]
    cells = [cell for text in texts for line in csv.reader(io.StringIO(text)) for cell in line]
    assert any(cell.startswith("'=cmd|") for cell in cells)
    for cell in cells:
        assert not cell.startswith(("=", "@", "\t", "\r")), cell
        assert not cell.startswith(("+", "-")) or float(cell) is not None
        assert "\x1b" not in cell


def test_numbers_are_written_in_full_and_the_missing_as_nothing() -> None:
    report = build(Source("run", "A run", records(two_by_two()[1:]), planned(two_by_two())))
    results = next(table for table in report.tables if table.name == "results")
    lines = csv_text(results).splitlines()
    assert lines[0].startswith("Model,Solo valuation (M EUR),Solo mean rank")
    assert lines[1] == 'a,2.0,2.0,2.0,2.0,1.0,1.0,0.0,"1, 2, 1"'
    assert "a,,," not in row_csv(row_frames(report.material)["trajectories"])
