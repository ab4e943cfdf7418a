"""The journal of a run: one SQLite file in WAL mode, written by one process, readable by others at any time.

Every table has a primary key that says what a row is about, so that writing a row again is harmless. A market's round
counts once its row stands in `commits`; rows without one are overwritten when the round is played again, with equal
content. What has been written survives the death of any process; SQLite sets a torn tail aside by itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from erpsim.errors import RunError

Value = str | int | float | bytes | None

SCHEMA_VERSION: Final = 2

_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "rounds": ("market_id", "round", "seat"),
    "cells": ("market_id", "round", "seat"),
    "events": ("market_id", "round", "seat"),
    "timings": ("market_id", "round", "seat"),
    "commits": ("market_id", "round"),
    "calls": ("market_id", "round", "seat", "ask", "turn", "life", "number"),
    "failures": ("market_id", "life", "number"),
    "lost": ("market_id",),
    "learnt": ("model",),
}
_VALUES: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(_KEYS, ("row",)),
    "commits": ("last",),
    "calls": ("digest", "error_class", "status", "tokens_in", "tokens_out", "cost_usd", "row"),
}
REPLIED: Final = ("", "content_filter")
"""Error classes of the attempts that brought a reply; a content filter is the model's own answer."""
_REPLIED: Final = str(REPLIED)
TABLES: Final = tuple(_KEYS)
"""Names of the tables; `lost` holds the experiment_failed event of a market that was given up, `learnt` the parameters
that a model's server was found to want otherwise."""


class Entry(NamedTuple):
    """One row to be written: its table, its key and its other columns, in the schema's order."""

    table: str
    key: tuple[str | int, ...]
    values: tuple[Value, ...]


class Stored(NamedTuple):
    """One row as it is read back."""

    key: tuple[str | int, ...]
    row: bytes


class StoredDecision(NamedTuple):
    """The row of `rounds` that tells what one firm executed in one round."""

    round_number: int
    seat: int
    row: bytes


class CallTotals(NamedTuple):
    """Sums over all attempts journaled; `cost_usd` is None when a reply has an unknown price.

    An attempt that brought no reply and no price is taken as not billed.
    """

    calls: int
    failed: int
    throttled: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


class SpendingTotals(NamedTuple):
    """Costs over all attempts journaled: their known sum, replies of known and of unknown cost, the dearest attempt."""

    known_usd: float
    priced: int
    unpriced: int
    dearest_usd: float


class Journal:
    """An open journal; use it from the thread that opened it."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        """Open the file; a writable one is made when it is missing.

        Raises:
            RunError: the file is missing, unreadable, no journal, or of another schema.
        """
        self._path = path
        with self._errors_told():
            self._connection = _connect(path, writable)
            if writable:
                _prepare(self._connection)
            self._check_schema()

    def write(self, entries: Iterable[Entry]) -> list[bool]:
        """Write rows in one transaction and say of each whether it was new.

        Raises:
            RunError: the disk is full, or the file was damaged or taken away; then nothing of the batch is written.
        """
        if not self._path.exists():  # what is written to a file without a name is lost with this process
            raise RunError(f"{self._path}: is gone; put the run folder back, then `erpbench resume` goes on")
        with self._errors_told(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            return [self._put(entry) for entry in entries]

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._connection.close()

    def committed(self) -> dict[str, int]:
        """Last committed round by market, of the markets that have one."""
        return dict(self._all("SELECT market_id, max(round) FROM commits GROUP BY market_id"))

    def finished(self) -> set[str]:
        """Markets whose last round is committed."""
        return {market_id for (market_id,) in self._all("SELECT market_id FROM commits WHERE last = 1")}

    def lost(self) -> set[str]:
        """Markets that were given up and not finished since."""
        query = "SELECT market_id FROM lost WHERE market_id NOT IN (SELECT market_id FROM commits WHERE last = 1)"
        return {market_id for (market_id,) in self._all(query)}

    def rounds_committed(self) -> list[tuple[str, int]]:
        """Market and number of every committed round."""
        return [(market_id, number) for market_id, number in self._all("SELECT market_id, round FROM commits")]

    def decisions(self, market_id: str) -> list[StoredDecision]:
        """Rows of all committed rounds of one market, by round and seat."""
        query = (
            "SELECT round, seat, row FROM rounds JOIN commits USING (market_id, round)"
            " WHERE market_id = ? ORDER BY round, seat"
        )
        return [StoredDecision(*found) for found in self._all(query, (market_id,))]

    def replies(self, market_id: str, round_number: int, *more: str) -> list[Stored]:
        """Attempts that brought a reply in one round of a market, oldest first, keyed (seat, ask, turn, digest).

        Those of further error classes come with them on demand.
        """
        columns, where = "seat, ask, turn, digest, row", f"error_class IN {(*REPLIED, *more)}"
        query = f"SELECT {columns} FROM calls WHERE market_id = ? AND round = ? AND {where} ORDER BY rowid"  # noqa: S608
        found = self._all(query, (market_id, round_number))
        return [Stored((seat, ask, turn, digest), row) for seat, ask, turn, digest, row in found]

    def markets(self) -> list[str]:
        """Markets of which the journal holds a call, a round or a failure, by id."""
        union = " UNION ".join(f"SELECT market_id FROM {table}" for table in ("calls", "rounds", "failures"))  # noqa: S608
        return [market_id for (market_id,) in self._all(f"{union} ORDER BY market_id")]

    def firm_rounds(self, market_id: str) -> list[tuple[int, int]]:
        """Round and seat of everything that a market's firms have asked a model or decided, committed or not."""
        each = [f"SELECT DISTINCT round, seat FROM {table} WHERE market_id = ?1" for table in ("calls", "rounds")]  # noqa: S608
        return [
            (number, seat) for number, seat in self._all(f"{' UNION '.join(each)} ORDER BY round, seat", (market_id,))
        ]

    def of_firm_round(self, table: str, place: tuple[str, int, int]) -> list[Stored]:
        """Rows of a table about one market, round and seat, committed or not, in the order in which they came."""
        key = ", ".join(_KEYS[table])
        where = "market_id = ? AND round = ? AND seat = ?"
        found = self._all(f"SELECT {key}, row FROM {table} WHERE {where} ORDER BY rowid", place)  # noqa: S608
        return [Stored(tuple(found), row) for *found, row in found]

    def rows(self, table: str, *, uncommitted: bool = False, last: bool = False) -> Iterator[Stored]:
        """Rows of a table by its key, calls of one place as they came: of committed rounds only, but for volatile ones.

        Calls, failures and markets given up are volatile: all are given, as of any table with `uncommitted`; with
        `last` those of the last rounds of finished markets.
        """
        with self._errors_told(), closing(self._connection.execute(_select(table, uncommitted, last))) as cursor:
            for *found, row in cursor:
                yield Stored(tuple(found), row)

    def call_totals(self) -> CallTotals:
        """Sums over all attempts."""
        query = (
            f"SELECT count(*), coalesce(sum(error_class NOT IN {_REPLIED}), 0),"  # noqa: S608 - own names only
            " coalesce(sum(status = 429), 0), coalesce(sum(tokens_in), 0),"
            " coalesce(sum(tokens_out), 0),"
            " CASE WHEN sum(cost_usd IS NULL AND error_class = '') THEN NULL ELSE coalesce(sum(cost_usd), 0.0) END"
            " FROM calls"
        )
        return CallTotals(*self._all(query)[0])

    def spending(self) -> SpendingTotals:
        """What the attempts cost as far as that is known."""
        query = (
            "SELECT coalesce(sum(cost_usd), 0.0), coalesce(sum(error_class = '' AND cost_usd NOTNULL), 0),"
            " coalesce(sum(error_class = '' AND cost_usd IS NULL), 0), coalesce(max(cost_usd), 0.0) FROM calls"
        )
        return SpendingTotals(*self._all(query)[0])

    def last_failed(self) -> bytes | None:
        """Row of the attempt without a reply that was written last; None when every attempt brought one."""
        found = self._all(f"SELECT row FROM calls WHERE error_class NOT IN {_REPLIED} ORDER BY rowid DESC LIMIT 1")  # noqa: S608
        return found[0][0] if found else None

    def check(self) -> None:
        """Look the whole file over.

        Raises:
            RunError: it is damaged.
        """
        verdict = " ".join(self._all("PRAGMA quick_check(1)")[0][0].split())
        if verdict != "ok":
            raise RunError(f"{self._path}: the journal is damaged ({verdict}); put back a copy or start a new run")

    def _put(self, entry: Entry) -> bool:
        return self._connection.execute(_INSERT[entry.table], (*entry.key, *entry.values)).rowcount == 1

    def _all(self, query: str, arguments: tuple[Value, ...] = ()) -> list[tuple[Any, ...]]:
        with self._errors_told():
            return self._connection.execute(query, arguments).fetchall()

    def _check_schema(self) -> None:
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            raise RunError(f"{self._path}: holds nothing yet; if a run is starting there, look again in a moment")
        if found != SCHEMA_VERSION:
            raise RunError(
                f"{self._path}: a journal of schema {found}, this version reads {SCHEMA_VERSION}; use the version of"
                " erpbench that made it, or start a new run"
            )

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RunError(f"{self._path}: {_mend(error)}") from error


def _connect(path: Path, writable: bool) -> sqlite3.Connection:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise RunError(f"{path}: is no file; put the journal back")
    mode = "mode=rwc" if writable else "mode=ro"
    if not writable and not path.with_name(path.name + "-wal").exists():
        mode += "&immutable=1"  # nobody writes; else a reader would make files beside it and could not remove them
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=20.0)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.executescript("BEGIN;" + "".join(_create(table) for table in TABLES) + _VERSION + "COMMIT;")


_VERSION: Final = f"PRAGMA user_version = {SCHEMA_VERSION};"


def _create(table: str) -> str:
    texts = ("market_id", "life", "model", "digest", "error_class")
    kinds = {**dict.fromkeys(texts, "TEXT"), "cost_usd": "REAL", "row": "BLOB NOT NULL"}
    columns = [f"{name} {kinds.get(name, 'INTEGER')}" for name in (*_KEYS[table], *_VALUES[table])]
    return f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)}, PRIMARY KEY ({', '.join(_KEYS[table])}));"


def _insert(table: str) -> str:
    verb = "INSERT OR IGNORE" if table in ("calls", "failures") else "INSERT OR REPLACE"
    columns = (*_KEYS[table], *_VALUES[table])
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT: Final = {table: _insert(table) for table in TABLES}


def _select(table: str, uncommitted: bool, last: bool) -> str:
    key = ", ".join(_KEYS[table])
    if table in ("failures", "lost", "learnt") or (uncommitted and table != "calls"):
        return f"SELECT {key}, row FROM {table} ORDER BY {key}"  # noqa: S608 - own names only
    if table == "calls":
        return f"SELECT {key}, row FROM calls ORDER BY market_id, round, seat, ask, turn, rowid"  # noqa: S608
    committed = "JOIN commits USING (market_id, round)" + (" WHERE last = 1" if last else "")
    return f"SELECT {key}, row FROM {table} {committed} ORDER BY {key}"  # noqa: S608


def _mend(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "the disk is full; free space and go on with `erpbench resume`, nothing written before is lost"
    if "readonly" in text or "unable to open" in text:
        return f"the journal cannot be opened or written ({text}); mend the folder's permissions or choose another"
    if "not a database" in text or "malformed" in text:
        return f"is no intact journal ({text}); put back a copy or start a new run"
    return f"the journal cannot be used ({text}); see whether another process holds it"
