"""Reads CSV tables that someone else produced, with the columns of the records, as a source of a report.

The plan is the cross product of the problems, models and ecologies that the tables name. A column that is left out is
filled with nothing and noted as lacking; a contradiction or an unreadable cell is refused, and nothing is left out in
silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import pandas as pd

from analysis.coverage import PlannedTrajectory
from analysis.foreign_columns import CsvTable, Row, read_csv
from analysis.foreign_seats import Contest, Seating, contest_of, seating
from analysis.load import TABLES, UNREAD, Records, kinds
from analysis.source import CALLS, EVENTS, Source, served_by_standins
from erpsim.errors import RunError
from erpsim.events import EVENT_TYPES

UNKNOWN_RULES: Final = "unknown"
NEEDED: Final = (
    "route",
    "llm_calls",
    "tool_calls",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "market_share",
    "price_mean",
)
"""Columns of rounds that figures beyond the required ones are taken from."""

MAY_BE_BLANK: Final = frozenset({"tokens_in", "tokens_out", "cost_usd", "price_mean"})
"""Columns of `NEEDED` whose blank cell is a value: the count or the price is unknown."""

EMPTY: Final = CsvTable((), frozenset(), ())


def is_foreign(folder: Path) -> bool:
    """Whether a folder holds tables as CSV."""
    return (folder / "rounds.csv").is_file() or (folder / "outcomes.csv").is_file()


def read_foreign(folder: Path) -> Source:
    """Read `rounds.csv`, `outcomes.csv` and, where it exists, `events.csv` of a folder.

    Raises:
        RunError: a table cannot be read, see `foreign_columns.read_csv`, or does not fit the others.
    """
    rounds, outcomes = (read_csv(folder / f"{name}.csv", name) for name in ("rounds", "outcomes"))
    has_events = (folder / "events.csv").is_file()
    events = read_csv(folder / "events.csv", "events") if has_events else EMPTY
    played = tuple(row for row in rounds.rows if row["model"] is not None)
    if not played:
        raise RunError(f"{folder}: rounds.csv has no row with a model, so there is nothing to report; add its rows")
    if not outcomes.rows:
        raise RunError(f"{folder}: outcomes.csv has no row, so nothing has an end; add one row for each trajectory")
    _check_repeats(folder, "rounds", played)
    _check_repeats(folder, "outcomes", outcomes.rows)
    seats = seating(folder, (*played, *outcomes.rows), events.rows)
    strata = _strata(folder, played)
    _check_strata(folder, strata, outcomes)
    horizons = _horizons(played, outcomes.rows)
    tables = {"rounds": played, "outcomes": outcomes.rows, "events": events.rows, "failures": (), "calls": ()}
    frames = {name: _frame(name, _completed(name, rows, seats, strata, horizons)) for name, rows in tables.items()}
    records = Records(**frames, source=str(folder))
    return Source(
        name=folder.resolve().name,
        title=f"ERPBench tables of {folder.resolve().name}",
        records=records,
        planned=_planned(seats, strata, horizons),
        standins=served_by_standins(records.rounds),
        given={"tables": folder.resolve().name},
        lacks=_lacking(rounds, events if has_events else None),
        notes=_notes({"rounds": rounds, "outcomes": outcomes, "events": events}, len(played)),
    )


def _check_repeats(folder: Path, table: str, rows: Iterable[Row]) -> None:
    """Refuse a second row for the same firm (and round); told by names, before seats are settled."""
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        key = (contest_of(row), row["model"], row.get("seat"), row.get("round"))
        if key in seen:
            contest = key[0]
            where = " ".join(filter(None, (contest.ecology, contest.lineup, contest.problem_id)))
            trial = f" trial {contest.trial}" if contest.trial else ""
            number = f" round {row['round']}" if table == "rounds" else ""
            raise RunError(
                f"{folder}: {table}.csv has {where}{trial} {row['model']}{number} more than once; leave one row out, or"
                " tell them apart by trial or seat"
            )
        seen.add(key)


def _strata(folder: Path, rounds: Iterable[Row]) -> dict[str, str]:
    """Stratum of each problem; one that has two is refused rather than counted under the last."""
    strata: dict[str, str] = {}
    for row in rounds:
        name, stratum = row["problem_id"], row["stratum"]
        if strata.setdefault(name, stratum) != stratum:
            raise RunError(
                f"{folder}: rounds.csv has problem {name} as {strata[name]} and as {stratum}; a problem has one stratum"
            )
    return strata


def _check_strata(folder: Path, strata: Mapping[str, str], outcomes: CsvTable) -> None:
    for row in outcomes.rows:
        name = row["problem_id"]
        if name not in strata:
            raise RunError(
                f"{folder}: problem {name} is in outcomes.csv and has no round in rounds.csv; add its rounds"
            )
        given = row.get("stratum", strata[name])
        if given != strata[name]:
            raise RunError(f"{folder}: problem {name} is {given} in outcomes.csv and {strata[name]} in rounds.csv")


def _horizons(rounds: Iterable[Row], outcomes: Iterable[Row]) -> dict[str, int]:
    """Rounds of each problem: the most that any of its trajectories has."""
    longest: dict[str, int] = {}
    for row in (*rounds, *outcomes):
        last = row.get("round") or row.get("n_rounds") or 0
        longest[row["problem_id"]] = max(longest.get(row["problem_id"], 0), last)
    return longest


def _completed(
    table: str, rows: Iterable[Row], seats: Seating, strata: Mapping[str, str], horizons: Mapping[str, int]
) -> Iterator[Row]:
    """Rows with what can be told from their other columns."""
    for number, row in enumerate(rows):
        contest, model, name = contest_of(row), row["model"], row["problem_id"]
        seat = seats.seat(contest, model, row.get("seat"))
        known = {
            **row,
            "lineup": contest.lineup,
            "trial": contest.trial,
            "seat": seat,
            "market_id": seats.market_id(contest, seat, model),
            "stratum": strata.get(name, ""),
            "policy": model or row.get("policy") or "",
            "policy_kind": "model" if model else "rule",
            "run_id": row.get("run_id") or "tables",
            "rules_version": row.get("rules_version") or UNKNOWN_RULES,
        }
        if table == "outcomes":
            known["n_rounds"] = row.get("n_rounds") or horizons[name]
        if table == "events":
            kind = EVENT_TYPES.get(row["category"])
            known |= {"sequence": number, "n": 1 if row.get("n") is None else row["n"]}
            known["layer"] = row.get("layer") or (kind.layer if kind else "unknown")
        yield known


def _frame(table: str, rows: Iterable[Row]) -> pd.DataFrame:
    hints = {name: hint for name, hint in get_type_hints(TABLES[table]).items() if name not in UNREAD}
    given = list(rows)
    columns = {name: [_filled(row.get(name), hint) for row in given] for name, hint in hints.items()}
    types = {name: _type_of(hint) for name, hint in hints.items() if _is_number(hint)}
    return pd.DataFrame(columns).astype(types)


def _is_number(hint: Any) -> bool:
    return int in kinds(hint) or float in kinds(hint)


def _type_of(hint: Any) -> str:
    """As a table of records comes from its file: whole numbers of which some may be missing are floats."""
    return "int64" if int in kinds(hint) and type(None) not in get_args(hint) else "float64"


def _filled(value: Any, hint: Any) -> Any:
    if value is not None or type(None) in get_args(hint):
        return value
    return {int: 0, str: "", float: float("nan")}[kinds(hint)[0]]


def _planned(seats: Seating, strata: Mapping[str, str], horizons: Mapping[str, int]) -> tuple[PlannedTrajectory, ...]:
    return tuple(
        PlannedTrajectory(
            ecology=setting[0],
            lineup=setting[1],
            problem_id=problem_id,
            trial=trial,
            seat=seat,
            market_id=seats.market_id(Contest(*setting, problem_id, trial), seat, model),
            model=model,
            n_rounds=horizons[problem_id],
        )
        for setting, entrants in seats.entrants.items()
        for problem_id in sorted(strata)
        for trial in seats.trials
        for seat, (model, _) in enumerate(entrants)
    )


def _lacking(rounds: CsvTable, events: CsvTable | None) -> frozenset[str]:
    """What is not there, or not for every row of a model; an unknown count or price of a round is a value."""
    lacks = {CALLS}
    for name in NEEDED:
        blank = any(row.get(name) is None for row in rounds.rows if row["model"] is not None)
        if name not in rounds.columns or (blank and name not in MAY_BE_BLANK):
            lacks.add(f"rounds.{name}")
    if events is None:
        lacks.add(EVENTS)
    elif "round" not in events.columns:
        lacks.add("events.round")
    return frozenset(lacks)


def _notes(tables: Mapping[str, CsvTable], played: int) -> tuple[str, ...]:
    notes = [
        f"{name}.csv: columns that no table of records has are not read: {', '.join(table.ignored)}."
        for name, table in tables.items()
        if table.ignored
    ]
    rules = len(tables["rounds"].rows) - played
    if rules:
        notes.append(f"rounds.csv: {rules:,} rows without a model are rules' and are not measured.")
    empty = sum(row["valuation"] is None for name in ("rounds", "outcomes") for row in tables[name].rows)
    if empty:
        notes.append(f"{empty:,} valuations are empty in rounds.csv and outcomes.csv and count as missing.")
    return tuple(notes)
