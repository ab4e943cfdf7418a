"""The file `run.toml` of a run folder: all that determines the run, and apart from it how the run is being played.

`RunPlan` decides every byte of rounds, cells, outcomes and events; the run's id is a hash of it. `RunSettings` may
differ between two plays of the same run: paths, delays, numbers of processes.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from ecologies.text_file import read_at_most
from erpsim.errors import RunError

FILE_NAME: Final = "run.toml"
JOURNAL_NAME: Final = "journal.db"
RECORDS_NAME: Final = "records"
LARGEST_FILE: Final = 2**24
"""Bytes of a `run.toml`, which names every problem and every seat."""

Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class RunPlan:
    """All that determines what a run's records say; two runs of equal plans and replies have equal records.

    Attributes:
        rules_version: `erpsim.parameters.RULES_VERSION` of the rules played.
        panel_digest: digest of the panel of problems.
        models_digest: digest of the models file's content, or of the built-in stand-in panel.
        prompts_digest: digest of the prompt files and tool schemas.
        problems: ids of the problems played, in the panel's order.
        ecologies: of solo, arena and mixed, in this order.
        models: labels in seat order.
        lineup: policies of the mixed ecology by seat, as typed; empty without it.
        trials: times that each market is played.
        reasks: times that a model is asked again after an unusable reply.
        tool_turns: most tool turns of a decision.
        infra_fallback: whether a firm that cannot reach its model plays the fallback decision.
        standin_seed: seed of the stand-in models; None when the models are real.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    rules_version: str
    panel_digest: str
    models_digest: str
    prompts_digest: str
    problems: Annotated[tuple[str, ...], Field(min_length=1)]
    ecologies: Annotated[tuple[Literal["solo", "arena", "mixed"], ...], Field(min_length=1)]
    models: tuple[str, ...] = ()
    lineup: tuple[str, ...] = ()
    trials: Count = 1
    reasks: Annotated[int, Field(ge=0, le=2)] = 1
    tool_turns: Annotated[int, Field(ge=0)] = 6
    infra_fallback: bool = False
    standin_seed: int | None = None


@dataclass(frozen=True)
class RunSettings:
    """How a run is played; nothing here changes a graded byte.

    Attributes:
        panel_path: file of a user's own panel; None for the panel that ships.
        models_path: models file; None for the stand-in panel.
        delay: seconds by which each stand-in reply is held back; None for each stand-in's own delay.
        standin_port: port of the stand-in server; 0 for any that is free.
        standin_faults: faults that the stand-in server plays, such as "429=0.1".
        use_proxies: whether models are called through the proxies that the environment names.
        shards: groups of one market actor and its firm actors; None for one per 8 cores, at least one.
        in_flight: markets that one shard plays at the same time; None for as many as the models' connections can use.
        market_tries: times that a market is tried before it counts as failed.
        ready_seconds: time within which Ray, and then each actor, has to be up.
        address: Ray cluster to join; None for a Ray of our own on this machine.
        dashboard: whether Ray's dashboard is on.
        skip_preflight: whether real models are not asked once before the run begins.
        budget_usd: money that all plays of the run may spend on models; None for any.
        replay_path: folder of the run whose recorded replies the models give; None to call them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    panel_path: str | None = None
    models_path: str | None = None
    delay: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    standin_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    standin_faults: tuple[str, ...] = ()
    use_proxies: bool = False
    shards: Count | None = None
    in_flight: Count | None = None
    market_tries: Count = 3
    ready_seconds: Count = 120
    address: str | None = None
    dashboard: bool = False
    skip_preflight: bool = False
    budget_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    replay_path: str | None = None


@dataclass(frozen=True)
class RunFile:
    """What `run.toml` holds.

    Attributes:
        run_id: see `run_id_of`.
        created: ISO time, UTC.
        changes: of rules, panel, models or prompts since the run was begun, as they were accepted to go on with it; a
            line each. Where there is one, the records are not those of one set-up.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    run_id: str
    plan: RunPlan
    settings: RunSettings
    created: str = ""
    changes: tuple[str, ...] = ()


def run_id_of(plan: RunPlan) -> str:
    """Give the run's id: the first 12 hex digits of SHA-256 over the plan as canonical JSON."""
    text = json.dumps(asdict(plan), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def create(folder: Path, plan: RunPlan, settings: RunSettings, created: str = "") -> RunFile:
    """Make the run folder and write its `run.toml`.

    Raises:
        RunError: the folder exists and is not empty, or cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        present = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise RunError(f"{folder}: the run folder cannot be made or read ({_why(error)}); choose another") from error
    if FILE_NAME in present:
        raise RunError(f"{folder}: holds a run already; go on with it (`erpbench resume {folder}`) or choose another")
    if present:
        raise RunError(f"{folder}: holds {present[0]!r}, a run folder starts empty; choose another")
    run_file = RunFile(run_id_of(plan), plan, settings, created)
    save(folder, run_file)
    return run_file


def save(folder: Path, run_file: RunFile) -> None:
    """Write `run.toml` in one piece: a reader sees the old file or the new one."""
    target = folder / FILE_NAME
    draft = folder / (FILE_NAME + ".new")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            stream.write(_as_toml(run_file))
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        raise RunError(f"{target}: cannot be written ({_why(error)}); free space or choose another folder") from error


def load(folder: Path) -> RunFile:
    """Read `run.toml`.

    Raises:
        RunError: there is none, it cannot be read or is malformed, or its id does not fit its content.
    """
    path = folder / FILE_NAME
    try:
        data = read_at_most(path, LARGEST_FILE)
        if data is None:
            raise RunError(f"{path}: is longer than {LARGEST_FILE:,} bytes; put back the file as the run wrote it")
        content = tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError as error:
        raise RunError(f"{path}: not found, so {folder} is no run folder; name one made by `erpbench run`") from error
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: cannot be read ({_why(error)}); mend its permissions or the disk") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: is no TOML ({error}); put back the file as the run wrote it") from error
    run_file = _validated(path, content)
    if run_file.run_id != run_id_of(run_file.plan):
        raise RunError(
            f"{path}: run_id is {run_file.run_id!r}, its [plan] gives {run_id_of(run_file.plan)!r}; the plan was"
            " edited: put it back, or start a new run"
        )
    return run_file


def require_one_set_up(folder: Path, run_file: RunFile) -> None:
    """Refuse what can be said only of a run that one set-up made.

    Raises:
        RunError: the run went on after changes that were accepted.
    """
    if run_file.changes:
        raise RunError(
            f"{folder}: no one set-up gives the records of this run, which went on although this had changed:"
            f" {'; '.join(run_file.changes)}; start a new run to have one that can be verified and played again"
        )


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse to write through links in a run folder, which may come from anybody and lead anywhere.

    Args:
        folder: the run's.
        names: of the files and folders that are to be written; folders are looked through.

    Raises:
        RunError: one of them is a link, or holds one.
    """
    for place in (folder / name for name in names):
        for path in (place, *(sorted(place.rglob("*")) if place.is_dir() else ())):
            if path.is_symlink():
                raise RunError(
                    f"{path}: is a link, and would be written through; put the file or folder itself in its place"
                )


def differences(recorded: RunPlan, present: RunPlan) -> list[str]:
    """Say in one line each what differs between the plan that a folder records and the one that would be played."""
    before, now = asdict(recorded), asdict(present)
    return [
        f"{name}: the run has {_short(before[name])}, here it is {_short(now[name])}"
        for name in before
        if before[name] != now[name]
    ]


def _validated(path: Path, content: Mapping[str, Any]) -> RunFile:
    try:
        return TypeAdapter(RunFile).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RunError(f"{path}: {place} is {first.get('input')!r}: {first['msg']}; put back what the run wrote") from (
            error
        )


def _as_toml(run_file: RunFile) -> str:
    lines = [f"run_id = {_toml_value(run_file.run_id)}", f"created = {_toml_value(run_file.created)}"]
    lines += [f"changes = {_toml_value(run_file.changes)}"] if run_file.changes else []
    for title, section in (("plan", run_file.plan), ("settings", run_file.settings)):
        lines += ["", f"[{title}]"]
        values = {field.name: getattr(section, field.name) for field in fields(section)}
        lines += [f"{name} = {_toml_value(value)}" for name, value in values.items() if value is not None]
    return "\n".join(lines) + "\n"


def _toml_value(value: str | float | bool | tuple[str, ...]) -> str:
    """A value as TOML: its strings, numbers, booleans and lists are written as JSON writes them, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def _why(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
