"""Searches everything below a folder for texts: bytes as they stand, and what a journal or a table holds compressed."""

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def holding(folder: Path, needles: tuple[str, ...]) -> list[str]:
    """Files below a folder that hold one of some texts, by their path in it; a file that vanishes is left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            try:
                if any(needle.encode() in part for part in parts(path) for needle in needles):
                    found.append(str(path.relative_to(folder)))
            except (FileNotFoundError, PermissionError):
                continue
    return found


def parts(path: Path) -> Iterator[bytes]:
    """A file's bytes, then what is compressed in it."""
    data = path.read_bytes()
    yield data
    if data.startswith(b"SQLite format 3\0"):
        yield from rows(path)
    elif data.startswith(b"PAR1") and data.endswith(b"PAR1"):
        table: pa.Table = pq.read_table(path)
        yield repr(table.to_pylist()).encode("utf-8", "surrogatepass")


def rows(path: Path) -> Iterator[bytes]:
    """Every value of every table of a database, inflated where it can be."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            for row in connection.execute(f"SELECT * FROM {name}"):
                yield from (inflated(value) for value in row)
    finally:
        connection.close()


def inflated(value: object) -> bytes:
    if not isinstance(value, bytes):
        return str(value).encode("utf-8", "surrogatepass")
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value
