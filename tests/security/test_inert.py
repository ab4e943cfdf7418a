"""What models, servers and files write is shown and never obeyed: on a terminal, on the page, in every other form."""

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from actors.entries import Writer, call_entry
from actors.journal import Journal
from analysis.latex import inert_latex
from analysis.tables import Column, Table, csv_text, inert_csv, inert_json, inert_markdown, markdown, printable
from erpbench import exits, report_files
from erpbench.__main__ import app
from erpbench.report_files import build_report, write_report
from erpbench.report_formats import Part
from erpbench.terminal import error_text, inert
from tests.actors.samples import call_record
from tests.analysis.test_page import Reading
from tests.security.hostile_run import LABELS, NASTY, make_nasty_run

pytestmark = pytest.mark.slow

TEXTS = st.text(st.characters(codec=None), max_size=40) | st.sampled_from([NASTY, *LABELS])
"""Any text, lone surrogates included."""


@pytest.fixture(scope="module")
def nasty_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run in a folder within a folder, so that a label that leads out of its own is seen in the outer one."""
    inner = tmp_path_factory.mktemp("nasty") / "inner"
    inner.mkdir()
    return make_nasty_run(inner)


@pytest.fixture(scope="module")
def report(nasty_run: Path) -> Path:
    """The run's report in every form."""
    write_report(build_report([nasty_run]), nasty_run / "report", frozenset({Part.PAGE, Part.ROWS, Part.LATEX}))
    return nasty_run / "report"


def steering(text: str) -> set[str]:
    """Characters of an output that a terminal might obey."""
    return {character for character in text if character != "\n" and not character.isprintable()}


def texts(value: object) -> Iterator[str]:
    """Every text in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (found for item in value.values() for found in texts(item))
    elif isinstance(value, list):
        yield from (found for item in value for found in texts(item))


def said(*arguments: str | Path) -> str:
    """Both streams of a command that ends well."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code in (exits.DONE, exits.INCOMPLETE), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stdout + result.stderr


@pytest.mark.parametrize("form", [(), ("--raw",), ("--json",), ("--json", "--raw")])
@pytest.mark.parametrize(("seat", "number"), [("0", "1"), ("1", "2")])
def test_a_decision_is_shown_without_being_obeyed(
    nasty_run: Path, form: tuple[str, ...], seat: str, number: str
) -> None:
    text = said("show", nasty_run, "arena/P001", seat, number, *form)
    assert steering(text) == set()
    assert "javascript:alert(3)" in text
    if "--json" in form:
        assert any(NASTY in found for found in texts(json.loads(text)))


def test_no_text_of_a_model_can_pass_for_a_heading(nasty_run: Path) -> None:
    lines = said("show", nasty_run, "arena/P001", "1", "2", "--raw").splitlines()
    assert [line for line in lines if line.startswith(("# Not a headline", "@SUM", "\\input"))] == []


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("command", ["status", "verify"])
def test_how_far_a_run_is_and_whether_it_holds_are_told_without_being_obeyed(
    nasty_run: Path, command: str, form: tuple[str, ...]
) -> None:
    assert steering(said(command, nasty_run, *form)) == set()


@pytest.mark.parametrize("form", ["tables", "md", "latex", "json"])
def test_a_report_is_printed_without_being_obeyed(
    nasty_run: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_files, "drawn", lambda _report: {})
    text = said("report", nasty_run, "--format", form, "--out", tmp_path / "out")
    assert steering(text) == set()


def test_every_file_of_a_report_is_free_of_steering_characters(report: Path) -> None:
    written = [path for path in report.rglob("*") if path.suffix in (".html", ".md", ".tex", ".csv", ".json", ".svg")]
    assert len(written) > 20
    assert {path.name: steering(path.read_text(encoding="utf-8")) for path in written} == {
        path.name: set() for path in written
    }


def test_nothing_on_the_page_of_the_run_can_run_or_load(report: Path) -> None:
    reading = Reading((report / "index.html").read_text(encoding="utf-8"))
    assert not {tag for tag, _ in reading.tags} & {"script", "img", "iframe", "object", "embed", "link", "base", "form"}
    assert not [name for _, attributes in reading.tags for name in attributes if name.startswith("on")]
    places = [*reading.values("href"), *reading.values("xlink:href")]
    assert [place for place in places if re.match(r"[a-z]+:|//|/|\.\.", place)] == []
    assert LABELS[1] in reading.text
    assert "{{7-7}}" in reading.text


def test_no_label_makes_a_tag_or_a_link_in_markdown(report: Path) -> None:
    text = (report / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<\w", text)
    assert not re.search(r"(?<!\\)\]\(", text)
    assert "\\[x\\](javascript" in text


def cells(path: Path) -> Iterator[str]:
    for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
        yield from row


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_no_cell_of_a_csv_file_is_a_formula(report: Path) -> None:
    files = sorted(report.rglob("*.csv"))
    assert {"tables", "rows"} == {path.parent.name for path in files}
    found = {cell for path in files for cell in cells(path) if cell.startswith(("=", "+", "-", "@", "\t", "\r"))}
    assert [cell for cell in found if not is_number(cell)] == []
    assert any(cell.startswith("'=cmd") for path in files for cell in cells(path))


def test_no_label_is_a_command_in_latex(report: Path) -> None:
    tables = [path.read_text(encoding="utf-8") for path in report.rglob("*.tex")]
    assert tables
    assert not [text for text in tables if "\\input" in text or "$x_1$" in text]
    assert any("\\textbackslash{}input" in text for text in tables)


def test_the_figures_in_json_keep_every_label_as_it_is(report: Path) -> None:
    assert set(json.loads((report / "report.json").read_text(encoding="utf-8"))["models"]) == set(LABELS)


def test_labels_make_no_file_outside_of_the_run(report: Path) -> None:
    inner = report.parent.parent
    assert sorted(path.name for path in inner.iterdir()) == ["models.toml", "panel.json", "run"]
    assert [path.name for path in inner.parent.iterdir()] == ["inner"]
    assert not list(inner.rglob("outside*"))


@given(TEXTS)
def test_any_text_is_inert_in_every_form(text: str) -> None:
    for shown in (inert(text), printable(text), inert_markdown(text), inert_latex(text), inert_csv(text)):
        assert steering(shown) == set()
    assert steering(error_text(ValueError(text))) == set()
    written = inert_json({text: [text]}, indent=2)
    assert steering(written) == set()
    assert json.loads(written) == {text: [text]}


@given(TEXTS)
def test_any_text_keeps_its_place_in_a_table(text: str) -> None:
    table = Table("t", text, (Column(text, numeric=False), Column("b")), ((text, 1.0),), notes=(text,))
    rows = list(csv.reader(io.StringIO(csv_text(table))))
    assert [len(row) for row in rows] == [2, 2]
    assert not rows[1][0].lstrip().startswith(("=", "+", "-", "@", "\uff1d"))
    lines = markdown(table).splitlines()
    assert len(lines) == 7
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3 for line in lines[2:5])


def test_ten_million_characters_of_a_server_are_shown_and_reported_as_any_text(nasty_run: Path, tmp_path: Path) -> None:
    shutil.copytree(nasty_run, tmp_path / "run")
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    long = "\x1b[31m\u202e" + "x" * 10_000_000
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": long}, "finish_reason": "stop"}]})
    record = call_record(market_id="arena/P001", seat=0, round_number=2, ask=1, turn=9, digest="z", reply=body)
    journal.write([call_entry(record, Writer("long", 1))])
    journal.close()
    text = said("show", tmp_path / "run", "arena/P001", "0", "2")
    assert len(text) > 10_000_000
    assert steering(text[:20_000]) == steering(text[-20_000:]) == set()
    assert "\\x1b[31m\\u202exxx" in text
    assert steering(said("status", tmp_path / "run")) == set()


def test_an_error_of_ten_million_characters_is_cut() -> None:
    shown = error_text(ValueError("\x1b" + "x" * 10_000_000 + "\n" * 10_000))
    assert len(shown) < 10_000
    assert shown.startswith("error: \\x1bxxx")
    assert error_text(ValueError("one\ntwo")) == "error: one\n       two"


@pytest.mark.parametrize("depth", [100, 900, 985, 1_000, 100_000])
@pytest.mark.parametrize("field", ["content", "odd"])
def test_a_reply_nested_however_deep_can_be_shown(nasty_run: Path, tmp_path: Path, field: str, depth: int) -> None:
    shutil.copytree(nasty_run, tmp_path / "run")
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    nested = "[" * depth + "]" * depth
    body = f'{{"choices":[{{"message":{{"role":"assistant","{field}":{nested}}}}}]}}'
    record = call_record(market_id="arena/P001", seat=0, round_number=2, ask=1, turn=9, digest="z", reply=body)
    journal.write([call_entry(record, Writer("deep", 1))])
    journal.close()
    for form in ((), ("--json",)):
        assert "[[[" in said("show", tmp_path / "run", "arena/P001", "0", "2", *form)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_names_of_a_models_file_are_listed_without_being_obeyed(nasty_run: Path, form: tuple[str, ...]) -> None:
    text = said("models", "list", "--models", nasty_run.parent / "models.toml", *form)
    assert steering(text) == set()
    assert "../../../outside" in text


def test_what_is_wrong_with_a_file_is_told_without_being_obeyed(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(f'["{json.dumps(NASTY)[1:-1]}"]\n')
    result = CliRunner().invoke(app, ["models", "list", "--models", str(tmp_path / "models.toml")])
    assert result.exit_code == exits.BAD_USE
    assert steering(result.stderr) == set()
    assert "unknown key" in result.stderr
