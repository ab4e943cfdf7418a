"""Plays a run: starts Ray and the actors, fans the markets out, and leaves nothing running behind.

plan = make_plan(RunRequest(problems="6"), settings)      # actors.planning
summary = play(Path("runs/first"), plan, settings, listener)
summary = resume(Path("runs/first"), listener)
progress = status(Path("runs/first"))                     # reads the journal only, also while the run is played
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from actors.progress import Listener, Progress
from actors.run_file import RunPlan, RunSettings


@dataclass(frozen=True)
class Summary:
    """How a play of a run ended.

    Attributes:
        complete: every market of the plan is played to its end.
        interrupted: a signal ended the play; `erpbench resume` goes on.
        failures: one line for each market that was given up.
        standin_replies: replies that the stand-in server counted in this play; None without one.
    """

    run_id: str
    folder: Path
    progress: Progress
    complete: bool
    interrupted: bool = False
    failures: tuple[str, ...] = ()
    standin_replies: int | None = None


def play(folder: Path, plan: RunPlan, settings: RunSettings, listener: Listener) -> Summary:
    """Make the folder, play every market of the plan and write the records.

    Ctrl-C and SIGTERM end it cleanly: the journal is consistent and the summary says `interrupted`.

    Raises:
        RunError: the folder cannot be used, or Ray or an actor does not come up in time.
        ModelsError: a key is missing or the models file makes no sense.
        ProviderError: a model's server refuses to work at all.
    """
    raise NotImplementedError


def resume(
    folder: Path, listener: Listener, settings: RunSettings | None = None, accept_changes: bool = False
) -> Summary:
    """Go on with a run from what its journal holds; `settings` replaces those in the folder.

    Raises:
        RunError: rules, panel, models file or prompts are not those of the run and `accept_changes` is not set; the
            message names each difference. Otherwise as `play`.
    """
    raise NotImplementedError


def status(folder: Path) -> Progress:
    """Say how far the run in a folder is, from its journal alone.

    Raises:
        RunError: the folder holds no run or cannot be read.
    """
    raise NotImplementedError
