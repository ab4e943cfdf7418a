"""The files that a run is begun with: its panel, its models file, the run that it replays. Read, kept, found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from actors.run_file import JOURNAL_NAME, RunSettings
from ecologies.models import Models, load_models, standin_models
from ecologies.panel_file import Panel
from ecologies.problems import read_panel
from erpsim.errors import RunError

NOWHERE: Final = "http://127.0.0.1:9/v1"
"""Address of the stand-in models while no server is up; the real one is volatile."""


class _Kind(NamedTuple):
    """A kind of file: how people call it, the option that names it, and its copy's name in a run folder."""

    noun: str
    option: str
    copy: str


_FILES: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "panel_path": _Kind("panel", "--panel", "panel.json"),
        "models_path": _Kind("models file", "--models", "models.toml"),
    }
)


@dataclass(frozen=True)
class Sources:
    """What the files that a run names hold."""

    panel: Panel
    models: Models


def read_sources(settings: RunSettings) -> Sources:
    """Read the panel and the models file that the settings name, or what ships in their place.

    Raises:
        ProblemError, ModelsError: a file cannot be used; the message says where.
    """
    panel = read_panel(Path(settings.panel_path) if settings.panel_path else None)
    models = load_models(Path(settings.models_path)) if settings.models_path else standin_models(NOWHERE)
    return Sources(panel, models)


def keep_sources(folder: Path, settings: RunSettings) -> None:
    """Copy the run's own panel and models file into its folder, so that the folder alone is the whole run.

    A models file holds no key, only the names of the variables that hold them.

    Raises:
        RunError: a copy cannot be written.
    """
    for name, path in _paths(settings).items():
        target = folder / _FILES[name].copy
        try:
            target.write_bytes(Path(path).read_bytes())
        except OSError as error:
            raise RunError(
                f"{target}: the copy of {path} cannot be written ({error.strerror}); free space or name another folder"
            ) from error


def found_again(folder: Path, settings: RunSettings) -> RunSettings:
    """Settings whose files are where they are now, if the run in a folder was moved.

    A file that is not at its place any more is looked for by its name in the run folder, then beside it; then the copy
    in the run folder is taken. A run that is replayed is looked for beside this one.
    """
    here: dict[str, Any] = {name: _moved(folder, name, path) for name, path in _paths(settings).items()}
    if settings.replay_path is not None:
        there = Path(settings.replay_path)
        beside = (one for one in (there, folder.absolute().parent / there.name) if (one / JOURNAL_NAME).is_file())
        here["replay_path"] = str(next(beside, there))
    return replace(settings, **here)


def copies_hint(folder: Path, settings: RunSettings) -> str:
    """Options that go on with the copies that a run keeps, where other files are in use; "" where there are none."""
    kept = {name: folder / _FILES[name].copy for name in _paths(settings)}
    used = {name: Path(path).absolute() for name, path in _paths(settings).items()}
    options = [
        f"{_FILES[name].option} {copy}"
        for name, copy in kept.items()
        if copy.is_file() and copy.absolute() != used[name] and copy.read_bytes() != used[name].read_bytes()
    ]
    return f" (the run keeps what it was begun with: {' '.join(options)})" if options else ""


def require_files(folder: Path, settings: RunSettings) -> None:
    """Refuse to go on while a file that a run was begun with is not there.

    Raises:
        RunError: naming the file and the ways to hand it over.
    """
    for name, path in _paths(settings).items():
        if not Path(path).exists():
            raise RunError(
                f"{folder}: the run needs its {_FILES[name].noun} {path}, which is not there; put a copy of it into the"
                f" run folder, or say where it is: {_FILES[name].option} FILE, with resume, replay or verify"
            )


def require_replayed(folder: Path, settings: RunSettings) -> None:
    """Refuse to go on with a replay while the run whose replies it takes is not there.

    Raises:
        RunError: naming that run and the ways to hand it over.
    """
    path = settings.replay_path
    if path is not None and not (Path(path) / JOURNAL_NAME).is_file():
        raise RunError(
            f"{folder}: the run takes its replies from {path}, which holds no {JOURNAL_NAME}; put that run back or"
            " beside this one, or say where it is: --replay RUN"
        )


def _paths(settings: RunSettings) -> dict[str, str]:
    named = {name: getattr(settings, name) for name in _FILES}
    return {name: path for name, path in named.items() if path is not None}


def _moved(folder: Path, name: str, path: str) -> str:
    own = Path(path).name
    places = (Path(path), folder / own, folder.parent / own, folder / _FILES[name].copy)
    return str(next((place.absolute() for place in places if place.is_file()), path))
