"""A report as a whole: its figures, its tables, and who is marked as a stand-in."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.material import STANDIN_NOTE
from analysis.report import Report, build, report_json, report_markdown
from analysis.source import Source
from analysis.tables import Table
from erpsim.errors import RunError
from erpsim.events import PAPER_CATEGORIES
from erpsim.records import OutcomeRow
from tests.analysis.samples import event, failure, in_lineup, outcome, planned, records, two_by_two


def _table(report: Report, name: str) -> Table:
    (table,) = (table for table in report.tables if table.name == name)
    return table


def _report(rows: list[OutcomeRow], plan: list[OutcomeRow] | None = None, **given: Any) -> Report:
    made = records(rows, [event("solo", "a", "price_adjusted", n=2)], [failure("arena/P1", "server")])
    facts: dict[str, Any] = {"given": {"run_id": "0123456789ab"}} | given
    return build(Source("run", "A run", made, planned(two_by_two() if plan is None else plan), **facts))


def test_the_figures_of_two_models_on_two_problems_by_hand() -> None:
    figures = json.loads(report_json(_report(two_by_two())))
    assert figures["models"]["a"] == {
        "solo": {"mean_valuation_m": 3.5, "mean_rank": 1.5, "bottom_rate": 0.5, "p90_regret": 0.9},
        "arena": {"mean_valuation_m": 2.0, "mean_rank": 2.0, "bottom_rate": 1.0, "p90_regret": 1.0},
        "delta_m": -1.5,
        "ci_low_m": -4.0,
        "ci_high_m": 1.0,
        "p": 1.0,
        "q": 1.0,
    }
    # Solo ranks a, b on P1 and b, a on P2; Arena b, a on both: rho is -1 and 1.
    agreement = {"same_winner": 1, "n_problems": 2, "spearman_mean": 0.0, "spearman_ci": [-1.0, 1.0]}
    assert figures["agreement"] == agreement
    assert figures["interventions"] == {**dict.fromkeys(PAPER_CATEGORIES, 0), "price_adjusted": 2}
    assert figures["coverage"]["complete"] is True
    assert figures["certificate"]["run"] == {"run_id": "0123456789ab"}
    assert figures["certificate"]["rules_version"] == "1.0"


def test_the_keys_of_the_figures_are_the_stable_ones() -> None:
    figures = _report(two_by_two()).figures
    assert list(figures) == ["models", "agreement", "interventions", "coverage", "certificate"]
    assert list(figures["models"]["b"]) == ["solo", "arena", "delta_m", "ci_low_m", "ci_high_m", "p", "q"]
    assert list(figures["models"]["b"]["solo"]) == ["mean_valuation_m", "mean_rank", "bottom_rate", "p90_regret"]


def test_the_results_table_shows_the_same_figures() -> None:
    table = _table(_report(two_by_two()), "results")
    assert table.rows[0] == ("a", 3.5, 1.5, 2.0, 2.0, -1.5, 1.0, 0.0, "2")
    assert table.rows[1] == ("b", 3.5, 1.5, 4.5, 1.0, 1.0, 1.0, 0.0, "2")
    assert _table(_report(two_by_two()), "winners").rows == (("a", 1, 0), ("b", 1, 2))


def test_the_effects_table_names_the_test_and_its_interval() -> None:
    table = _table(_report(two_by_two()), "effects")
    assert table.rows[0][:7] == ("a", 2, -1.5, -4.0, 1.0, 1.0, 1.0)
    assert table.rows[0][7] == "exact"
    assert any("10,000 resamples" in note for note in table.notes)
    assert any("over the 2 tests that are defined" in note for note in table.notes)


def test_differences_that_are_all_zero_are_flagged() -> None:
    same = [replace(row, valuation=4e6) for row in two_by_two()]
    page = report_markdown(_report(same))
    assert "all differences zero (2 zero)" in page
    assert "Every difference is zero, so that p = 1 by rule: a, b." in page


def test_problems_behind_the_figures_are_told_apart_where_they_differ() -> None:
    table = _table(_report([row for row in two_by_two() if row.market_id != "solo/P1/a"]), "results")
    assert (*table.rows[0][:6], table.rows[0][-1]) == ("a", 2.0, 2.0, 2.0, 2.0, 1.0, "1, 2, 1")
    assert table.rows[1][-1] == "2"
    assert "Problems are those behind the figures; where they differ: Solo, Arena, pairs." in table.notes


def test_every_table_says_what_it_stands_on() -> None:
    report = _report(two_by_two())
    names = [table.name for table in report.tables]
    assert len(set(names)) == len(names)
    assert {"coverage", "results", "effects", "agreement", "tails", "pyramid", "strata", "paper-results"} <= set(names)
    *measured, certificate = report.tables
    assert certificate.name == "certificate"
    assert all(report.coverage.statement() in table.notes for table in measured)
    assert not any(STANDIN_NOTE in table.notes for table in report.tables)


def test_sections_follow_the_paper() -> None:
    assert [section.name for section in _report(two_by_two()).sections] == [
        "coverage",
        "performance",
        "effects",
        "audit",
        "agreement",
        "reliability",
        "strata",
        "courses",
        "services",
        "paper",
        "details",
        "certificate",
    ]


def test_stand_ins_are_marked_in_every_table_that_names_them() -> None:
    report = _report(two_by_two(), standins=frozenset({"a"}))
    assert all(STANDIN_NOTE in table.notes for table in report.tables[:-1])
    assert _table(report, "results").rows[0][0] == "a (stand-in)"
    assert _table(report, "winners").rows[0][0] == "a (stand-in)"
    assert _table(report, "interventions-solo").columns[1].title == "a (stand-in)"
    assert _table(report, "results").rows[1][0] == "b"
    assert report.figures["certificate"]["standins"] == ["a"]
    assert report.remarks[0].startswith("Stand-ins play: a. ")
    for table in report.tables[:-1]:
        letters = [place for place, column in enumerate(table.columns) if column.title == "Ties"]
        texts = [cell for row in table.rows for place, cell in enumerate(row) if place not in letters]
        texts += [column.title for column in table.columns]
        assert "a" not in texts, table.name


def test_a_model_that_failed_everywhere_keeps_its_row() -> None:
    report = _report([row for row in two_by_two() if row.model == "b"])
    assert _table(report, "results").rows[0] == ("a", None, None, None, None, None, None, None, "0")
    undefined = dict.fromkeys(("mean_valuation_m", "mean_rank", "bottom_rate", "p90_regret"))
    assert report.figures["models"]["a"]["solo"] == undefined
    assert report.figures["models"]["a"]["delta_m"] is None
    assert report.figures["models"]["a"]["q"] is None
    assert report.figures["agreement"] == {
        "same_winner": None,
        "n_problems": 0,
        "spearman_mean": None,
        "spearman_ci": None,
    }
    assert len(_table(report, "missing").rows) == 4
    assert ("arena/P1", 0, "a", "server") in _table(report, "missing").rows
    assert "cannot be compared" in report_markdown(report)


def test_missing_trajectories_are_bounded() -> None:
    table = _table(_report([row for row in two_by_two() if row.market_id != "solo/P1/a"]), "bounds")
    assert table.rows[0] == ("Solo", "a", 2, 1, 2.5, 2.5, 1.5, 2.0, -0.5, -0.5)


def test_a_run_without_any_outcome_still_reports() -> None:
    report = _report([])
    json.loads(report_json(report))
    assert report_markdown(report)
    assert report.figures["coverage"]["complete"] is False
    assert len(report.figures["coverage"]["missing"]) == 8


def test_one_problem_and_one_model_make_a_report() -> None:
    rows = [outcome("solo", "P1", "a", 1e6)]
    report = _report(rows, rows)
    assert _table(report, "results").rows == (("a", 1.0, 1.0, 0.0, "1"),)
    assert report.figures["models"]["a"]["arena"]["mean_valuation_m"] is None
    assert report.figures["models"]["a"]["delta_m"] is None
    assert any("they are not both there" in remark for remark in report.remarks)


def test_seats_of_one_model_have_a_table_of_their_own() -> None:
    rows = [
        in_lineup(outcome("mixed", "P1", model, value, seat), "digest")
        for seat, (model, value) in enumerate([("a", 10e6), ("b", 6e6), ("a", 4e6)])
    ]
    report = build(Source("run", "A run", records(rows), planned(rows), frozenset({"a"})))
    assert _table(report, "seats").rows == (
        ("Mixed digest", "a#0 (stand-in)", 10.0, 1.0),
        ("Mixed digest", "a#2 (stand-in)", 4.0, 3.0),
    )
    assert report.figures["models"]["a"]["mixed"]["mean_valuation_m"] == 7.0


def test_contradictory_records_give_no_report() -> None:
    with pytest.raises(RunError, match="more than once"):
        _report([*two_by_two(), two_by_two()[0]])


def test_the_markdown_page_is_inert_whatever_a_label_holds() -> None:
    hostile = "a|<img src=x>\x1b[2J[x](javascript:1)"
    rows = [replace(row, model=hostile) if row.model == "a" else row for row in two_by_two()]
    page = report_markdown(build(Source("run", "A run", records(rows), planned(rows))))
    assert "\x1b" not in page
    assert "<img" not in page
    assert "[x](" not in page
    assert r"a\|&lt;img src=x>\\x1b\[2J\[x\](javascript:1)" in page


def test_infinite_values_are_refused() -> None:
    with pytest.raises(RunError, match="outcomes has an infinite valuation in solo/P1/a seat 0"):
        _report([replace(row, valuation=np.inf) if row.model == "a" else row for row in two_by_two()])


def test_strict_json_is_written_even_for_values_that_are_missing() -> None:
    rows = [replace(row, valuation=np.nan) if row.model == "a" else row for row in two_by_two()]
    figures = json.loads(report_json(_report(rows)))
    assert figures["models"]["a"]["solo"]["mean_valuation_m"] is None


def test_the_same_records_give_the_same_report() -> None:
    assert report_markdown(_report(two_by_two())) == report_markdown(_report(two_by_two()))
