"""The report of one or several folders: read them, build the report, write its page, texts, figures and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from actors.run_file import FILE_NAME, RECORDS_NAME, RunFile, load, refuse_links
from actors.sources import found_again, require_files
from analysis.foreign import is_foreign, read_foreign
from analysis.latex import latex
from analysis.load import read_records
from analysis.report import Report, build, report_json, report_markdown
from analysis.rows import row_csv, row_frames
from analysis.several import merge
from analysis.source import Source
from analysis.tables import csv_text
from erpbench.planned import planned
from erpbench.report_formats import Part
from erpbench.report_yardsticks import read_yardsticks, unlike_yardsticks
from erpsim.errors import RunError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPORT_NAME: Final = "report"
JOINT_NAME: Final = "report-joint"
"""Where the report of several runs goes, so that it does not replace that of the first one."""
PAGE_NAME: Final = "index.html"
MARKDOWN_NAME: Final = "report.md"
JSON_NAME: Final = "report.json"
DIGESTS: Final = ("panel_digest", "models_digest", "prompts_digest")


def build_report(folders: Sequence[Path]) -> Report:
    """Build the report of run folders, or of folders of CSV tables.

    Raises:
        RunError: a folder holds neither a run nor tables, or nothing that can be trusted.
        ProblemError, WorkError: the panel that a run names cannot be read or lacks a problem.
    """
    return build(merge([read_source(folder) for folder in folders]))


def read_source(folder: Path) -> Source:
    """Read a run folder, or a folder of CSV tables.

    Raises:
        RunError: it is neither, or cannot be read.
        ProblemError, WorkError: the panel that the run names cannot be read or lacks a problem.
    """
    if not (folder / FILE_NAME).exists():
        if is_foreign(folder):
            return read_foreign(folder)
        raise RunError(
            f"{folder}: {FILE_NAME} not found, so it is no run folder, and it holds no rounds.csv; name one made"
            " by `erpbench run`, or one with rounds.csv and outcomes.csv"
        )
    run_file = load(folder)
    run_file = replace(run_file, settings=found_again(folder, run_file.settings))
    require_files(folder, replace(run_file.settings, models_path=None))  # a report can do without the models file
    plan = planned(run_file)
    return Source(
        name=folder.resolve().name,
        title=f"ERPBench run {run_file.run_id}",
        records=read_records(folder / RECORDS_NAME),
        planned=plan.trajectories,
        standins=plan.standins,
        given=_facts(run_file),
        yardsticks=read_yardsticks(folder / RECORDS_NAME, run_file),
        notes=(
            *(f"Not of one set-up: the run went on although this had changed: {it}" for it in run_file.changes),
            *unlike_yardsticks(run_file),
        ),
    )


def report_folder(folders: Sequence[Path]) -> Path:
    """Give the folder for the report of a run, or of several, where none is named.

    Raises:
        RunError: it is a link.
    """
    name = REPORT_NAME if len(folders) == 1 else JOINT_NAME
    refuse_links(folders[0], [name])
    return folders[0] / name


def write_report(report: Report, folder: Path, parts: frozenset[Part] = frozenset()) -> tuple[Path, ...]:
    """Write `report.md`, `report.json` and other parts into a folder, which is made if it is missing.

    Gives the paths of the documents, the page first if it is among the parts.

    Raises:
        RunError: they cannot be written.
    """
    documents: dict[str, Callable[[], str]] = {}
    charts: Mapping[str, Figure] = drawn(report) if parts & {Part.PAGE, Part.IMAGES} else {}
    if Part.PAGE in parts:
        documents[PAGE_NAME] = lambda: _page(report, charts)
    documents |= {MARKDOWN_NAME: lambda: report_markdown(report), JSON_NAME: lambda: report_json(report)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, write_text in documents.items():
            _put(folder / name, write_text())
        for name, text in _others(report, parts):
            _put(folder / name, text)
        if Part.IMAGES in parts:
            from analysis.figures import FORMATS, write

            write(charts, folder / "figures", FORMATS)
    except OSError as error:
        raise RunError(f"{folder}: the report cannot be written ({error.strerror}); name another with --out") from error
    return tuple(folder / name for name in documents)


def drawn(report: Report) -> Mapping[str, Figure]:
    """Draw the figures that a report shows, by name."""
    from analysis.figures import draw

    source = report.material.source
    names = tuple(name for section in report.sections for name in section.figures)
    return draw(report.material.findings, source.records, source.standins, names)


def _page(report: Report, charts: Mapping[str, Figure]) -> str:
    from analysis.figures import CAPTIONS, svg
    from analysis.page import page

    return page(report, {name: svg(figure, name) for name, figure in charts.items()}, CAPTIONS)


def _others(report: Report, parts: frozenset[Part]) -> Iterator[tuple[str, str]]:
    if Part.ROWS in parts:
        for table in report.tables:
            yield f"tables/{table.name}.csv", csv_text(table)
        for name, frame in row_frames(report.material).items():
            yield f"rows/{name}.csv", row_csv(frame)
    if Part.LATEX in parts:
        for table in report.tables:
            yield f"tables/{table.name}.tex", latex(table)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _facts(run_file: RunFile) -> dict[str, Any]:
    plan = run_file.plan
    digests = {name: getattr(plan, name) for name in DIGESTS}
    changes = {"changes": "; ".join(run_file.changes)} if run_file.changes else {}
    return {"run_id": run_file.run_id, "standin_seed": plan.standin_seed, **digests, **changes}
