"""`erpbench report`: from the records of runs, or from tables of others, to tables, figures and a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from erpbench import exits, options
from erpbench.report_formats import PARTS, ReportFormat
from erpbench.terminal import inert, output, show

if TYPE_CHECKING:
    from analysis.report import Report

MAIN_TABLES: Final = (
    "coverage",
    "missing",
    "results",
    "seats",
    "effects",
    "agreement",
    "winners",
    "tails",
    "interventions",
    "interventions-solo",
    "interventions-arena",
)
"""Tables that are printed; the written report has all."""


def report(
    folders: options.ReportFolders,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for the report; by default RUN/report, of several runs the first one's report-joint.",
        ),
    ] = None,
    form: Annotated[
        ReportFormat,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="tables (printed), html, md, latex, json, or all: with LaTeX tables and figures as SVG, PDF and PNG.",
        ),
    ] = ReportFormat.TABLES,
) -> None:
    """Report on runs, or on folders of CSV tables: tables, figures, one page.

    Each RUN is the folder of a run, or a folder with rounds.csv, outcomes.csv and perhaps events.csv. Several are
    merged: Solo from one and Arena from another, or a model that was run again, which is then called label@folder.

    report.md and report.json are always written; the page index.html and the CSV files of its rows with the formats
    tables, html and all. With md, latex and json the text is printed and nothing else.

    Exits with 1 if trajectories that were planned are missing; each table says how many.
    """
    from erpbench.report_files import build_report, report_folder, write_report

    built = build_report(folders)
    paths = write_report(built, out or report_folder(folders), PARTS[form])
    _print(built, form)
    if form in _SPOKEN:
        console = output()
        console.print()
        for remark in built.remarks:
            console.print(inert(remark), soft_wrap=True)
        for path in paths:
            console.print(f"Written: {inert(str(path))}", soft_wrap=True)
    raise typer.Exit(exits.DONE if built.coverage.complete else exits.INCOMPLETE)


_SPOKEN: Final = (ReportFormat.TABLES, ReportFormat.HTML, ReportFormat.ALL)
"""Formats after which is said what was written; the others print one document and nothing else."""


def _print(built: Report, form: ReportFormat) -> None:
    from analysis.latex import latex
    from analysis.report import report_json, report_markdown

    if form is ReportFormat.JSON:
        typer.echo(report_json(built), nl=False)
    elif form is ReportFormat.MARKDOWN:
        typer.echo(report_markdown(built), nl=False)
    elif form is ReportFormat.LATEX:
        typer.echo("\n".join(map(latex, built.tables)), nl=False)
    elif form is ReportFormat.TABLES:
        console = output()
        for table in built.tables:
            if table.name in MAIN_TABLES:
                show(console, table)
