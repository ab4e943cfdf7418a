"""`erpbench report` on runs and on tables from elsewhere: what is written, what is printed, how it ends."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from analysis.figures import FIGURES, FORMATS
from erpbench import exits
from erpbench.report_formats import PARTS, ReportFormat
from tests.analysis.csv_folders import edit, folder_of
from tests.erpbench.conftest import Command
from tests.erpbench.fake_driver import FakeDriver


def _played(erpbench: Command, folder: str, *options: str) -> None:
    result = erpbench("run", "--problems", "2", "--out", folder, "--no-report", *options)
    assert result.exit_code == exits.DONE, result.output


def _digests(folder: Path) -> dict[str, str]:
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", list(ReportFormat))
def test_each_format_writes_its_files_and_leaves_the_records_alone(
    erpbench: Command, played: FakeDriver, form: ReportFormat
) -> None:
    _played(erpbench, "here")
    before = _digests(Path("here"))
    result = erpbench("report", "here", "--format", form.value, "--out", "there")
    assert result.exit_code == exits.DONE, result.output
    assert _digests(Path("here")) == before
    present = {path.relative_to("there").parts[0] for path in Path("there").rglob("*")}
    wanted = {"report.md", "report.json"}
    wanted |= {"index.html", "tables", "rows"} if form in (ReportFormat.TABLES, ReportFormat.HTML) else set()
    wanted |= {"tables"} if form is ReportFormat.LATEX else set()
    wanted |= {"index.html", "tables", "rows", "figures"} if form is ReportFormat.ALL else set()
    assert present == wanted
    assert set(PARTS) == set(ReportFormat)


def test_text_formats_print_one_document_and_nothing_else(erpbench: Command, played: FakeDriver) -> None:
    _played(erpbench, "here")
    printed = erpbench("report", "here", "--format", "latex").stdout
    assert printed.startswith("\\begin{table}")
    assert printed.rstrip().endswith("\\end{table}")
    assert printed.count("\\begin{table}") == len(list(Path("here/report/tables").glob("*.tex")))
    assert "Written" not in printed


def test_solo_and_arena_of_two_runs_are_reported_together(erpbench: Command, played: FakeDriver) -> None:
    _played(erpbench, "solo", "--ecology", "solo")
    _played(erpbench, "arena", "--ecology", "arena")
    _played(erpbench, "both")
    figures = json.loads(erpbench("report", "solo", "arena", "--format", "json", "--out", "x").stdout)
    whole = json.loads(erpbench("report", "both", "--format", "json").stdout)
    assert figures["models"] == whole["models"]
    assert figures["agreement"] == whole["agreement"]
    assert set(figures["certificate"]["run"]["sources"]) == {"solo", "arena"}


def test_a_run_played_again_is_named_by_its_folder(erpbench: Command, played: FakeDriver) -> None:
    _played(erpbench, "first")
    _played(erpbench, "second")
    result = erpbench("report", "first", "second", "--format", "json")
    labels = [f"standin/{letter}@{name}" for name in ("first", "second") for letter in "abcdef"]
    assert list(json.loads(result.stdout)["models"]) == labels
    assert Path("first/report-joint/report.json").exists()
    assert not Path("first/report").exists()


def test_a_folder_of_tables_is_reported(erpbench: Command) -> None:
    folder_of(Path("theirs"))
    result = erpbench("report", "theirs", "--format", "json")
    assert result.exit_code == exits.DONE, result.output
    assert json.loads(result.stdout)["models"]["a"]["delta_m"] == -1.5


def test_what_tables_lack_is_printed(erpbench: Command, played: FakeDriver) -> None:
    folder_of(Path("theirs"))
    output = erpbench("report", "theirs").output
    assert "Not computed: Interventions, operational reliability, L1 and L2: the source has no events." in output
    assert "Written: theirs/report/index.html" in output


def test_a_run_and_tables_of_other_rules_are_refused(erpbench: Command, played: FakeDriver) -> None:
    _played(erpbench, "here")
    folder_of(Path("theirs"))
    result = erpbench("report", "here", "theirs")
    assert result.exit_code == exits.BAD_USE
    assert "different rules, whose values are not comparable" in result.stderr


def test_dirty_tables_end_with_two_and_one_line(erpbench: Command) -> None:
    edit(folder_of(Path("theirs")), "rounds", 3, "5000000.0", "\x1b[31mlots")
    result = erpbench("report", "theirs")
    assert result.exit_code == exits.BAD_USE
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert "\x1b" not in result.stderr
    assert "rounds.csv line 3: valuation is" in result.stderr


def test_a_folder_that_is_neither_says_what_it_should_hold(erpbench: Command) -> None:
    Path("empty").mkdir()
    result = erpbench("report", "empty")
    assert result.exit_code == exits.BAD_USE
    assert "no run folder" in result.stderr
    assert "rounds.csv and outcomes.csv" in result.stderr


def test_a_report_that_cannot_be_written_says_where(erpbench: Command) -> None:
    folder_of(Path("theirs"))
    Path("file").write_text("")
    result = erpbench("report", "theirs", "--format", "json", "--out", "file")
    assert result.exit_code == exits.BAD_USE
    assert "name another with --out" in result.stderr


def test_the_page_holds_the_figures_and_they_are_written_in_three_kinds(erpbench: Command) -> None:
    rows = folder_of(Path("theirs"), extra=["market_share", "price_mean"])
    result = erpbench("report", str(rows), "--format", "all")
    assert result.exit_code == exits.DONE, result.output
    drawn = {path.name for path in Path("theirs/report/figures").iterdir()}
    shown = set(FIGURES) - {"audit", "reliability"}
    assert drawn == {f"{name}.{kind}" for name in shown for kind in FORMATS}
    assert Path("theirs/report/index.html").read_text(encoding="utf-8").count("<svg") == len(shown)
