"""`erpbench problem list`, `show`, `generate` and `compare`: the business problems that are played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.tables import Column, Table, text_column
from erpbench import options
from erpbench.examples import examples
from erpbench.terminal import counted, inert, output, show
from erpsim.errors import RunError, WorkError

if TYPE_CHECKING:
    from ecologies.panel_likeness import Likeness
    from erpsim.problem import Problem

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Business problems: list, show, generate, compare.")


@app.command("list", epilog=examples("problem list"))
def list_problems(
    problems: options.Problems = "all", panel: options.PanelFile = None, as_json: options.AsJson = False
) -> None:
    """List the problems of a panel."""
    from ecologies.problems import read_panel, select

    chosen = select(read_panel(panel).problems, problems)
    if as_json:
        typer.echo(json.dumps([_figures(problem) for problem in chosen]))
        return
    columns = (
        text_column("Problem"),
        text_column("Stratum"),
        text_column("Scenario"),
        Column("Rounds"),
        Column("Market size"),
        Column("Opening cash (M EUR)"),
    )
    rows = tuple(
        (
            *(problem.problem_id, problem.stratum, problem.scenario, problem.horizon),
            *(problem.market.size, problem.opening.cash / 1e6),
        )
        for problem in chosen
    )
    show(output(), Table("problems", counted(len(rows), "problem"), columns, rows))


@app.command("show", epilog=examples("problem show"))
def show_problem(
    problem_id: Annotated[str, typer.Argument(metavar="ID", help="Such as P042.")],
    panel: options.PanelFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell a problem in words, with a small picture of its rounds."""
    from ecologies.describe import describe
    from ecologies.problems import read_panel, select

    if "," in problem_id or problem_id.isdecimal() or problem_id.lower() == "all":
        raise WorkError(f"{problem_id!r} is not the id of one problem; name one, such as P042")
    (problem,) = select(read_panel(panel).problems, problem_id)
    typer.echo(json.dumps(_figures(problem)) if as_json else inert(describe(problem)), nl=as_json)


@app.command("generate", epilog=examples("problem generate"))
def generate_panel(
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Equal seeds give equal panels.")],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=10_000, help="Problems.")] = 100,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=1, max=60, help="Rounds of each problem.")] = 6,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Panel file; by default it goes to the output.")
    ] = None,
) -> None:
    """Generate a panel of new problems, to be played with `erpbench run --panel FILE`."""
    from ecologies.panel import generate
    from ecologies.panel_file import Panel, encode, panel_digest
    from ecologies.panel_likeness import likeness, summary
    from ecologies.problems import shipped_panel

    panel = Panel(1, f"generated from seed {seed}", generate(seed, count, rounds))
    if out is None:
        typer.echo(encode(panel), nl=False)
        return
    if out.exists():
        raise RunError(f"{out}: exists already and is not overwritten; choose another file with --out")
    try:
        out.write_bytes(encode(panel))
    except OSError as error:
        raise RunError(f"{out}: cannot be written ({error.strerror}); choose another file with --out") from error
    typer.echo(f"{inert(str(out))}: {counted(count, 'problem')}, digest {panel_digest(panel)}")
    typer.echo(f"Beside the shipped panel: {summary(likeness(panel.problems, shipped_panel().problems))}")


@app.command("compare", epilog=examples("problem compare"))
def compare_panels(
    first: Annotated[Path, typer.Argument(metavar="FILE", help="A panel file.")],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Another; without it the panel that ships.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Say whether two panels are alike, stratum by stratum; ends with 1 when a statistic is outside its band."""
    from ecologies.panel_likeness import likeness, summary
    from ecologies.problems import read_panel

    found = likeness(read_panel(first).problems, read_panel(second).problems)
    if as_json:
        typer.echo(json.dumps([{**asdict(one), "within": one.within} for one in found]))
    else:
        show(output(), _likeness_table(found))
        typer.echo(summary(found))
    if not all(one.within for one in found):
        raise typer.Exit(1)


def _likeness_table(found: Sequence[Likeness]) -> Table:
    columns = (
        *(text_column(title) for title in ("Stratum", "Statistic", "Band for", "First", "Second")),
        *(Column(title, decimals=3) for title in ("Distance", "Band")),
        text_column("Within"),
    )
    rows = tuple(
        (
            *(one.stratum, one.name, one.kind, _told(one.ours), _told(one.theirs)),
            *(one.distance, one.band, "yes" if one.within else "NO"),
        )
        for one in found
    )
    notes = ("First and second: mean (10, 50 and 90 % quantile) of a figure, or a share; cash and loan in M EUR.",)
    return Table("likeness", "Two panels side by side", columns, rows, notes)


def _told(values: tuple[float, ...]) -> str:
    first, *quantiles = (f"{value:.3g}" for value in values)
    return f"{first} ({', '.join(quantiles)})" if quantiles else first


def _figures(problem: Problem) -> object:
    from ecologies.panel_file import plain

    return plain(problem)
