"""Decisions without an answer, by hand: in the table beside the score, and in the figures."""

import json
from dataclasses import replace

from analysis.no_answer import no_answer
from analysis.report import build, report_markdown
from analysis.source import Source
from analysis.tables import cell_text
from erpsim.records import EventRow
from tests.analysis.panels import cell
from tests.analysis.samples import call, event, planned, records, two_by_two


def ended(code: str, number: int = 1, model: str = "a") -> EventRow:
    seat = "ab".index(model)
    return replace(event("solo", model, "fallback_decision"), code=code, round=number, layer="structural", seat=seat)


def test_g2_27_the_share_is_of_all_rounds_and_only_of_replies_with_nothing_in_them() -> None:
    # Model a plays two rounds of two problems in each ecology: 4 in Solo, 8 in all.
    events = [ended("empty"), ended("truncated", 2), ended("no_json", 1, "b"), ended("infra", 2, "b")]
    held = records(two_by_two(), events)
    found = no_answer(held.rounds, held.events)
    assert cell(found, "ended", ecology="solo", model="a") == 2
    assert cell(found, "share", ecology="solo", model="a") == 0.5
    assert cell(found, "share", ecology="arena", model="a") == 0
    assert cell(found, "share", ecology="solo", model="b") == 0
    assert cell(no_answer(held.rounds, held.events, by=()), "share", model="a") == 0.25


def test_a_re_ask_that_brought_an_answer_is_no_end() -> None:
    held = records(two_by_two(), [replace(ended("truncated"), category="reask")])
    assert not no_answer(held.rounds, held.events)["ended"].any()


def test_g2_27_the_share_stands_beside_the_score_and_unknown_amounts_are_unknown() -> None:
    calls = [
        call("solo/P1/a", "a", tokens_out=64, tokens_reasoning=64),
        call(
            "solo/P1/a", "a", attempt=2, error_class="rate", used=False, tokens_in=None, tokens_out=None, cost_usd=None
        ),
        call("arena/P1", "b", seat=1, cost_usd=None),
        call("preflight", "a", used=False),
    ]
    rows = two_by_two()
    report = build(Source("run", "A run", records(rows, [ended("tool_budget")], calls=calls), planned(rows)))
    tables = {table.name: table for table in report.tables}
    titles = [column.title for column in tables["results"].columns]
    shown = [cell_text(*pair) for pair in zip(tables["results"].columns, tables["results"].rows[0], strict=True)]
    assert shown[titles.index("No answer")] == "12.5 %"
    assert report.figures["certificate"]["no_answer_share"]["a"] == {"arena": 0.0, "solo": 0.25}
    cost = report.figures["certificate"]["cost"]
    assert (cost["attempts"], cost["failed_attempts"], cost["unused_usd"]) == (4, 1, 0.5)
    rows_by_place = {tuple(row[:2]): row for row in tables["attempts"].rows}
    assert rows_by_place["a", "Solo"][2:] == (2, 1, 0, 100, "unknown", "unknown", 64, 64, 0.5, 0.0, "1 of 4")
    assert rows_by_place["b", "Arena"][10] == "unknown"
    assert rows_by_place["a", "Preflight"][2:5] == (1, 0, 1)
    assert rows_by_place["a", "Preflight"][-1] is None
    assert "Preflight: one decision of each model before the run" in report_markdown(report)
    json.dumps(report.figures, allow_nan=False)
