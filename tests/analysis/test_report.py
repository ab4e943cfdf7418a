"""A report as a whole: its figures, its tables, and who is marked as a stand-in."""

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.report import Report, RunFacts, build, report_json, report_markdown
from analysis.report_tables import STANDIN_NOTE
from analysis.tables import Table
from erpsim.errors import RunError
from erpsim.events import PAPER_CATEGORIES
from erpsim.records import OutcomeRow
from tests.analysis.samples import event, failure, in_lineup, outcome, planned, records, two_by_two

FACTS = RunFacts("A run", ("a", "b"), planned(two_by_two()), certificate={"run_id": "0123456789ab"})


def _table(report: Report, name: str) -> Table:
    (table,) = (table for table in report.tables if table.name == name)
    return table


def _report(rows: list[OutcomeRow], facts: RunFacts = FACTS) -> Report:
    return build(records(rows, [event("solo", "a", "price_adjusted", n=2)], [failure("arena/P1", "server")]), facts)


def test_the_figures_of_two_models_on_two_problems_by_hand() -> None:
    figures = json.loads(report_json(_report(two_by_two())))
    assert figures["models"]["a"] == {
        "standin": False,
        "solo": {"mean_valuation_m": 3.5, "mean_rank": 1.5, "n_problems": 2},
        "arena": {"mean_valuation_m": 2.0, "mean_rank": 2.0, "n_problems": 2},
        "delta_m": -1.5,
        "n_pairs": 2,
    }
    assert figures["agreement"] == {"same_winner": 1, "n_problems": 2}
    assert figures["interventions"] == {**dict.fromkeys(PAPER_CATEGORIES, 0), "price_adjusted": 2}
    assert figures["coverage"]["complete"] is True
    assert figures["certificate"] == {"run_id": "0123456789ab", "rules_version": "1.0"}


def test_the_results_table_shows_the_same_figures() -> None:
    table = _table(_report(two_by_two()), "results")
    assert table.rows[0] == ("a", 3.5, 1.5, 2.0, 2.0, -1.5, "2")
    assert table.rows[1] == ("b", 3.5, 1.5, 4.5, 1.0, 1.0, "2")
    assert _table(_report(two_by_two()), "winners").rows == (("a", 1, 0), ("b", 1, 2))


def test_problems_behind_the_figures_are_told_apart_where_they_differ() -> None:
    rows = [row for row in two_by_two() if row.market_id != "solo/P1/a"]
    table = _table(_report(rows), "results")
    assert table.rows[0] == ("a", 2.0, 2.0, 2.0, 2.0, 1.0, "1, 2, 1")
    assert table.rows[1][-1] == "2"
    assert "Problems are those behind the figures; where they differ: Solo, Arena, pairs." in table.notes


def test_every_table_says_what_it_stands_on() -> None:
    report = _report(two_by_two())
    assert [table.name for table in report.tables] == [
        "coverage",
        "results",
        "winners",
        "interventions",
        "interventions-solo",
        "interventions-arena",
    ]
    assert all(report.coverage.statement() in table.notes for table in report.tables)
    assert not any(STANDIN_NOTE in table.notes for table in report.tables)


def test_stand_ins_are_marked_in_every_table_that_names_them() -> None:
    report = _report(two_by_two(), replace(FACTS, standins=frozenset({"a"})))
    assert all(STANDIN_NOTE in table.notes for table in report.tables)
    assert _table(report, "results").rows[0][0] == "a (stand-in)"
    assert _table(report, "winners").rows[0][0] == "a (stand-in)"
    assert _table(report, "interventions-solo").columns[1].title == "a (stand-in)"
    assert _table(report, "results").rows[1][0] == "b"
    assert report.figures["models"]["a"]["standin"] is True


def test_a_model_that_failed_everywhere_keeps_its_row() -> None:
    report = _report([row for row in two_by_two() if row.model == "b"])
    row = _table(report, "results").rows[0]
    assert row == ("a", None, None, None, None, None, "0")
    assert report.figures["models"]["a"]["solo"] == {"mean_valuation_m": None, "mean_rank": None, "n_problems": 0}
    assert report.figures["models"]["a"]["delta_m"] is None
    assert report.figures["agreement"] == {"same_winner": None, "n_problems": 0}
    assert len(_table(report, "missing").rows) == 4
    assert ("arena/P1", 0, "a", "server") in _table(report, "missing").rows
    assert "cannot be compared" in report_markdown(report)


def test_a_run_without_any_outcome_still_reports() -> None:
    report = _report([])
    json.loads(report_json(report))
    assert report.figures["coverage"]["complete"] is False
    assert len(report.figures["coverage"]["missing"]) == 8


def test_one_problem_and_one_model_make_a_report() -> None:
    rows = [outcome("solo", "P1", "a", 1e6)]
    report = _report(rows, replace(FACTS, models=("a",), planned=planned(rows)))
    assert _table(report, "results").rows == (("a", 1.0, 1.0, "1"),)
    assert "arena" not in report.figures["models"]["a"]
    assert report.figures["models"]["a"]["delta_m"] is None


def test_seats_of_one_model_have_a_table_of_their_own() -> None:
    rows = [
        in_lineup(outcome("mixed", "P1", model, value, seat), "digest")
        for seat, (model, value) in enumerate([("a", 10e6), ("b", 6e6), ("a", 4e6)])
    ]
    facts = replace(FACTS, planned=planned(rows), standins=frozenset({"a"}))
    report = build(records(rows), facts)
    assert _table(report, "seats").rows == (
        ("Mixed digest", "a#0 (stand-in)", 10.0, 1.0),
        ("Mixed digest", "a#2 (stand-in)", 4.0, 3.0),
    )
    assert report.figures["models"]["a"]["mixed"]["mean_valuation_m"] == 7.0


def test_contradictory_records_give_no_report() -> None:
    with pytest.raises(RunError, match="more than once"):
        _report([*two_by_two(), two_by_two()[0]])


def test_the_markdown_page_is_inert_whatever_a_label_holds() -> None:
    hostile = "a|<img src=x>\x1b[2J"
    rows = [replace(row, model=hostile) if row.model == "a" else row for row in two_by_two()]
    page = report_markdown(_report(rows, replace(FACTS, models=(hostile, "b"), planned=planned(rows))))
    assert "\x1b" not in page
    assert "<img" not in page
    assert r"a\|&lt;img src=x>\\x1b\[2J" in page


def test_strict_json_is_written_even_for_values_that_are_not_finite() -> None:
    rows = [replace(row, valuation=np.inf) if row.model == "a" else row for row in two_by_two()]
    figures = json.loads(report_json(_report(rows)))
    assert figures["models"]["a"]["solo"]["mean_valuation_m"] is None
