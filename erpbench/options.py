"""The options and arguments of the commands, each with its help, in one place so that they read alike everywhere."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number of seconds; give one from 0 on")
    return value


def _money(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise typer.BadParameter(f"{value} is no sum of money to spend; give one above 0")
    return value


Problems = Annotated[
    str,
    typer.Option(
        "--problems", metavar="N|IDS|all", help="A number, spread over the strata; ids such as P001,P042; or all."
    ),
]
Ecologies = Annotated[
    str | None,
    typer.Option(
        "--ecology",
        metavar="LIST",
        help="Of solo, arena, mixed, separated by commas; by default solo,arena, or mixed with --lineup.",
    ),
]
ModelsFile = Annotated[
    Path | None, typer.Option("--models", metavar="FILE", help="Models file; without it the stand-in panel plays.")
]
MovedModels = Annotated[
    Path | None, typer.Option("--models", metavar="FILE", help="Where the run's models file is now, if it was moved.")
]
MovedPanel = Annotated[
    Path | None, typer.Option("--panel", metavar="FILE", help="Where the run's panel is now, if it was moved.")
]
Replayed = Annotated[
    Path | None,
    typer.Option(
        "--replay",
        metavar="RUN",
        help="Play this run again from its recorded replies, without any network: the same as `erpbench replay RUN`."
        " What is played is what was played there; a reply that is not recorded ends the play.",
    ),
]
MovedReplayed = Annotated[
    Path | None,
    typer.Option("--replay", metavar="RUN", help="Where the run whose replies are replayed is now, if it was moved."),
]
PanelFile = Annotated[
    Path | None, typer.Option("--panel", metavar="FILE", help="Panel of problems; without it the one that ships.")
]
Lineup = Annotated[
    str | None,
    typer.Option(
        "--lineup", metavar="LIST", help="Seats of a mixed market, such as standin/a*2,balanced,growth (two or more)."
    ),
]
OutFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Run folder; by default a dated one under runs/.")
]
Trials = Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Times that every market is played.")]
StandinSeed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the stand-in models.")]
Delay = Annotated[
    float | None,
    typer.Option(
        "--delay",
        min=0,
        metavar="SECONDS",
        callback=_finite,
        help="Delay of each stand-in reply; 0 for none, by default each stand-in's own.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option("--shards", metavar="N", min=1, help="Groups of actors; by default one per 8 cores, at least one."),
]
InFlight = Annotated[
    int | None,
    typer.Option(
        "--in-flight",
        metavar="N",
        min=1,
        help="Markets that one shard plays at once; by default as many as the models' connections can use.",
    ),
]
Address = Annotated[
    str | None, typer.Option("--address", metavar="ADDRESS", help="Ray cluster to join; by default a Ray of its own.")
]
InfraFallback = Annotated[
    bool,
    typer.Option(
        "--infra-fallback", help="A firm that cannot reach its model plays the fallback, where the market would fail."
    ),
]
Proxies = Annotated[bool, typer.Option("--proxies", help="Call models through the proxies that the environment names.")]
Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        metavar="KIND=CHANCE",
        help="A fault that the stand-in server plays, such as 429=0.1, or 429@1=1 for first attempts alone; "
        "`erpbench standin --help` lists the kinds.",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        metavar="USD",
        callback=_money,
        help="Money that the run may spend, all its plays together; every price must be known. Once it is spent no call"
        " starts; those under way are finished and kept, so what they cost may come on top.",
    ),
]
NoPreflight = Annotated[
    bool,
    typer.Option(
        "--no-preflight",
        help="Do not ask each real model for one decision before the run, by which a wrong key or name shows.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the calls, tokens, money and time that the run is expected to take; nothing is called.",
    ),
]
LikeRun = Annotated[
    Path | None,
    typer.Option(
        "--like", metavar="RUN", help="With --dry-run: what a decision takes, as it was in this run; else assumed."
    ),
]
Latency = Annotated[
    float | None,
    typer.Option(
        "--latency",
        metavar="SECONDS",
        min=0,
        callback=_finite,
        help="With --dry-run: seconds of one call; by default 10, of stand-ins their delay, with --like as it was.",
    ),
]
Dashboard = Annotated[bool, typer.Option("--dashboard", help="Turn Ray's dashboard on.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write the records, leave the report out.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on the output, for machines.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, as `erpbench run` made it.")]
ReportFolders = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Folders of runs, or folders with rounds.csv and outcomes.csv."),
]


def files(models: Path | None, panel: Path | None, replayed: Path | None = None) -> dict[str, Any]:
    """The settings that name files, as far as they are given."""
    given = {"models_path": models, "panel_path": panel, "replay_path": replayed}
    return {name: str(path) for name, path in given.items() if path is not None}
