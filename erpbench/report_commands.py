"""`erpbench report`: from the records of a run to its tables."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from erpbench import exits, options
from erpbench.terminal import inert, output, show


class ReportFormat(StrEnum):
    """What is printed; both files are written in any case."""

    TABLES = "tables"
    MARKDOWN = "md"
    JSON = "json"


def report(
    folder: options.RunFolder,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the report; by default RUN/report.")
    ] = None,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", metavar="tables|md|json", help="What is printed: tables, Markdown or JSON."),
    ] = ReportFormat.TABLES,
) -> None:
    """Print the tables of a run and write its report.

    The records are checked first. The report is written as report.md and report.json, whatever is printed.

    Exits with 1 if trajectories that the run planned are missing; each table says how many.
    """
    from analysis.report import report_json, report_markdown
    from erpbench.report_files import REPORT_NAME, build_report, write_report

    built = build_report(folder)
    paths = write_report(built, out or folder / REPORT_NAME)
    if form is ReportFormat.JSON:
        typer.echo(report_json(built), nl=False)
    elif form is ReportFormat.MARKDOWN:
        typer.echo(report_markdown(built), nl=False)
    else:
        console = output()
        for table in built.tables:
            show(console, table)
        console.print()
        for path in paths:
            console.print(f"Written: {inert(str(path))}", soft_wrap=True)
    raise typer.Exit(exits.DONE if built.coverage.complete else exits.INCOMPLETE)
