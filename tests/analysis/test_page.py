"""The page stands alone, links to what lies beside it, and runs nothing, whatever a model is called."""

import re
from collections.abc import Mapping
from functools import lru_cache
from html.parser import HTMLParser

import pytest

from analysis.figures import CAPTIONS, FIGURES, draw, svg
from analysis.page import CHART_ROWS, page
from analysis.report import Report, build
from analysis.rows import ROW_FILES, row_frames
from analysis.source import Source
from tests.analysis import hostile
from tests.analysis.samples import event, planned, records, two_by_two


class Reading(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str]:
        return [str(attributes[name]) for _, attributes in self.tags if name in attributes]


def _charts(report: Report) -> Mapping[str, str]:
    source = report.material.source
    figures = draw(report.material.findings, source.records, source.standins)
    return {name: svg(figure, name) for name, figure in figures.items()}


@lru_cache(maxsize=2)
def _page(attacked: bool) -> tuple[Report, str]:
    plain = Source("run", "A run", records(two_by_two(), [event("solo", "a", "traceback")]), planned(two_by_two()))
    report = build(hostile.source() if attacked else plain)
    return report, page(report, _charts(report), CAPTIONS)


@pytest.mark.parametrize("attacked", [False, True])
def test_nothing_on_the_page_can_run(attacked: bool) -> None:
    reading = Reading(_page(attacked)[1])
    tags = {tag for tag, _ in reading.tags}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "b", "foreignobject"}
    assert not [name for _, attributes in reading.tags for name in attributes if name.startswith("on")]
    assert "default-src 'none'" in reading.values("content")[1]


@pytest.mark.parametrize("attacked", [False, True])
def test_links_lead_into_the_page_or_beside_it(attacked: bool) -> None:
    report, text = _page(attacked)
    reading = Reading(text)
    inside = {f"#{name}" for name in reading.values("id")}
    beside = {f"tables/{table.name}.csv" for table in report.tables} | {f"rows/{name}.csv" for name in ROW_FILES}
    places = {*reading.values("href"), *reading.values("xlink:href")}
    assert places <= inside | beside | {"report.json", "report.md"}
    assert {f"tables/{table.name}.csv" for table in report.tables} <= places
    assert not re.search(r"url\((?!#)", text)
    assert not reading.values("src")


def test_hostile_text_is_shown_as_text() -> None:
    reading = Reading(_page(True)[1])
    assert "=cmd|'/C calc'!A0<script>alert(1)</script>" in reading.text
    assert r"\x1b[31m" in reading.text
    assert r"\u202e" in reading.text
    assert "\x1b" not in reading.text
    assert "<b onclick=alert(4)>down</b>" in reading.text


def test_every_identifier_stands_once() -> None:
    names = Reading(_page(False)[1]).values("id")
    assert len(names) == len(set(names))


def test_every_figure_and_table_of_the_sections_is_there() -> None:
    report, text = _page(False)
    names = set(Reading(text).values("id"))
    assert {f"table-{table.name}" for table in report.tables} <= names
    assert {f"figure-{name}" for section in report.sections for name in section.figures} <= names
    assert {section.name for section in report.sections} <= names
    assert text.count("<svg") == len(FIGURES)


def test_every_figure_says_which_rows_are_behind_it() -> None:
    assert set(CHART_ROWS) == set(FIGURES)
    assert {name for names in CHART_ROWS.values() for name in names} <= set(ROW_FILES)
    assert set(row_frames(_page(False)[0].material)) == set(ROW_FILES)


def test_a_stand_in_is_told_before_any_number() -> None:
    text = Reading(_page(True)[1]).text
    assert text.index("Stand-ins play:") < text.index("Leads Solo")


def test_a_page_without_figures_is_whole() -> None:
    report, _ = _page(False)
    assert "<figure" not in page(report, {}, {})
