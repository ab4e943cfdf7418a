"""A run of more models than can be compared each with each, or drawn each."""

import numpy as np
import pytest

from analysis.figures import FIGURES, draw
from analysis.figures.catalogue import cast_of
from analysis.metrics import CROWD
from analysis.report import Report, build, report_markdown
from analysis.source import Source
from analysis.tables import ENDS, MOST_ROWS, Column, Table, csv_text, shortened
from tests.analysis import samples
from tests.analysis.runs import outcomes

MODELS = CROWD + 6
LABELS = [f"m{number:02}" for number in range(MODELS)]
VALUES = np.arange(MODELS, dtype=np.float64) + np.array([[0.0], [40.0], [80.0]])
"""The last model of the plan is the best of each problem, by 1 million over the one before."""


@pytest.fixture(scope="module")
def report() -> Report:
    rows = outcomes(VALUES, VALUES + 1.0, LABELS)
    return build(Source("run", "A run", samples.records(rows), samples.planned(rows)))


def _table(report: Report, name: str) -> Table:
    (table,) = (table for table in report.tables if table.name == name)
    return table


def test_the_best_model_stands_first_in_every_table(report: Report) -> None:
    assert [row[0] for row in _table(report, "results").rows] == LABELS[::-1]
    assert [row[1] for row in _table(report, "pyramid").rows[:2]] == LABELS[:-3:-1]


def test_the_first_is_compared_with_each_other_one_and_each_with_the_next(report: Report) -> None:
    rows = _table(report, "differences-solo").rows
    couples = [(row[0], row[1]) for row in rows]
    best = LABELS[-1]
    assert couples[: MODELS - 1] == [(best, other) for other in LABELS[-2::-1]]
    assert couples[MODELS - 1 :] == list(zip(LABELS[-2:0:-1], LABELS[-3::-1], strict=True))
    assert [row[3] for row in rows[:2]] == [1.0, 2.0]


def test_what_has_a_column_for_each_model_is_left_out(report: Report) -> None:
    names = {table.name for table in report.tables}
    assert not names & {"transitions", "win-rates-solo", "interventions-solo", "rates-arena"}
    assert report.material.findings.win_rates.empty
    assert set(report.material.findings.tie_groups["groups"]) == {""}


def test_a_sentence_names_the_first_ones_of_many_that_are_not_told_apart() -> None:
    rows = outcomes(VALUES * 0.0 + 1.0, VALUES * 0.0 + 1.0, LABELS)
    text = report_markdown(build(Source("run", "A run", samples.records(rows), samples.planned(rows))))
    assert f"and {MODELS - 1 - CROWD} more." in text


def test_figures_draw_the_head_and_the_foot_and_say_so(report: Report) -> None:
    findings = report.material.findings
    cast = cast_of(findings)
    assert cast.models == (*LABELS[:-7:-1], *LABELS[5::-1])
    assert f"Drawn are the 6 highest and 6 lowest of {MODELS} models by mean valuation." in cast.notes()
    drawn = draw(findings, report.material.source.records)
    assert set(drawn) == set(FIGURES)
    legend = drawn["valuation_paths"].legends[0]
    assert [text.get_text() for text in legend.get_texts()].count(LABELS[-1]) == 1
    assert len(legend.get_texts()) == len(cast.models)
    assert drawn["aggregate"].axes[1].get_ylim()[0] > MODELS


def test_a_very_long_table_is_read_without_its_middle_and_written_whole() -> None:
    long = Table("long", "Long", (Column("n"), Column("twice")), tuple((n, 2 * n) for n in range(MOST_ROWS + 1)))
    read = shortened(long)
    assert [row[0] for row in read.rows] == [*range(ENDS), "…", *range(MOST_ROWS + 1 - ENDS, MOST_ROWS + 1)]
    assert (
        read.notes[0]
        == f"{MOST_ROWS + 1 - 2 * ENDS} of {MOST_ROWS + 1} rows are left out in the middle; long.csv has them all."
    )
    assert csv_text(long).count("\n") == MOST_ROWS + 2
    whole = Table("whole", "Whole", long.columns, long.rows[:MOST_ROWS])
    assert shortened(whole) is whole
