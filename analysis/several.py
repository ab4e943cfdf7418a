"""Merges several sources into one, such as Solo from one run and Arena from another, or a model that was run again.

A model that two sources played in the same ecology, on the same problem and trial was run again: in every source that
has it, it is then called `label@source`. Otherwise its parts belong together under its label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Final

import pandas as pd

from analysis.consistency import contradictions
from analysis.coverage import refuse
from analysis.load import Records
from analysis.source import Source
from erpsim.errors import RunError

JOINT: Final = "+"
"""Joins the ids of runs that were merged."""


def merge(sources: Sequence[Source]) -> Source:
    """Merge sources; a single one is given back as it is.

    Raises:
        RunError: one contradicts itself, or they have different rules, whose values are not comparable.
    """
    if len(sources) == 1:
        return sources[0]
    for source in sources:
        refuse(source.records.source, contradictions(source.records))
    _check_rules(sources)
    again = _run_again(sources)
    width = max((item.seat for source in sources for item in source.planned), default=0) + 1
    shared = _share_seats(sources)
    names = unique_names([source.name for source in sources])
    parts = [
        _renamed(source, name, again, (name, number * width) if shared else None)
        for number, (source, name) in enumerate(zip(sources, names, strict=True))
    ]
    joint = JOINT.join(names)
    return Source(
        name=joint,
        title=f"ERPBench runs {', '.join(names)}",
        records=_joined([part.records for part in parts], joint),
        planned=tuple(item for part in parts for item in part.planned),
        standins=frozenset[str]().union(*(part.standins for part in parts)),
        given={"sources": {name: dict(part.given) for name, part in zip(names, parts, strict=True)}},
        lacks=frozenset[str]().union(*(part.lacks for part in parts)),
        notes=(*(note for part in parts for note in part.notes), *_again_notes(again)),
    )


def unique_names(names: Sequence[str]) -> list[str]:
    """Tell equal names apart by a number: a, a becomes a, a-2."""
    result: list[str] = []
    for name in names:
        number, wanted = 1, name
        while wanted in result:
            number += 1
            wanted = f"{name}-{number}"
        result.append(wanted)
    return result


def _check_rules(sources: Sequence[Source]) -> None:
    versions = {
        source.name: str(source.records.rounds["rules_version"].iloc[0])
        for source in sources
        if len(source.records.rounds)
    }
    if len(set(versions.values())) > 1:
        told = ", ".join(f"{name} has {version}" for name, version in versions.items())
        raise RunError(f"the runs have different rules, whose values are not comparable: {told}; report them apart")


def _run_again(sources: Sequence[Source]) -> frozenset[str]:
    """Labels that two sources planned for the same ecology, line-up, problem and trial."""
    planned: Counter[tuple[str, str, str, int, str]] = Counter()
    for source in sources:
        planned.update(
            {(item.ecology, item.lineup, item.problem_id, item.trial, item.model) for item in source.planned}
        )
    return frozenset(key[-1] for key, times in planned.items() if times > 1)


def _share_seats(sources: Sequence[Source]) -> bool:
    """Whether a seat of one market, or a market, is in two sources."""
    keys = Counter(key for source in sources for key in {item.key for item in source.planned})
    markets = Counter(name for source in sources for name in {item.market_id for item in source.planned})
    return max([*keys.values(), *markets.values()], default=0) > 1


def _renamed(source: Source, name: str, again: frozenset[str], shift: tuple[str, int] | None) -> Source:
    labels = {model: f"{model}@{name}" for model in again & set(source.models)}
    planned = tuple(
        replace(
            item,
            model=labels.get(item.model, item.model),
            market_id=_market(item.market_id, shift),
            seat=item.seat + (shift[1] if shift else 0),
        )
        for item in source.planned
    )
    frames = {item.name: getattr(source.records, item.name) for item in fields(Records) if item.name != "source"}
    renamed = {table: _relabelled(frame, labels, shift) for table, frame in frames.items()}
    return replace(
        source,
        planned=planned,
        records=Records(**renamed, source=source.records.source),
        standins=frozenset(labels.get(model, model) for model in source.standins),
    )


def _relabelled(frame: pd.DataFrame, labels: Mapping[str, str], shift: tuple[str, int] | None) -> pd.DataFrame:
    changed: dict[str, pd.Series] = {}
    if "model" in frame:
        ours = frame["model"].isin(list(labels))
        changed["model"] = frame["model"].where(~ours, frame["model"].map(dict(labels)))
    if shift:
        changed["market_id"] = frame["market_id"].map(lambda market_id: _market(market_id, shift))
        if "seat" in frame:
            changed["seat"] = frame["seat"] + shift[1]
    return frame.assign(**changed)


def _market(market_id: str, shift: tuple[str, int] | None) -> str:
    return f"{shift[0]}:{market_id}" if shift else market_id


def _joined(parts: Sequence[Records], joint: str) -> Records:
    frames = {}
    for item in fields(Records):
        if item.name != "source":
            tables = [getattr(part, item.name) for part in parts]
            # A table without rows knows no types, and must not change those of the others.
            kept = [table for table in tables if len(table)] or tables[:1]
            frames[item.name] = pd.concat(kept, ignore_index=True)
    runs = {name: frame.assign(run_id=joint) if "run_id" in frame else frame for name, frame in frames.items()}
    return Records(**runs, source=", ".join(part.source for part in parts))


def _again_notes(again: frozenset[str]) -> tuple[str, ...]:
    if not again:
        return ()
    return (
        (
            f"Played by more than one run and so named label@run: {', '.join(sorted(again))}. Ranks in Arena compare"
            " firms of different markets where a problem was played more than once."
        ),
    )
