"""Files of JSON lines with a stamp on the first: written a line at a time, and read again up to the last whole line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Document = Mapping[str, Any]


class Stamped(NamedTuple):
    """What a file holds; the stamp is empty where there is none that can be read."""

    stamp: Document
    rows: tuple[dict[str, Any], ...]


def read_stamped(path: Path) -> Stamped:
    """Read a file; a last line that was cut off is left out."""
    text = path.read_text(encoding="ascii", errors="replace")
    try:
        head, *rows = map(json.loads, text[: text.rfind("\n") + 1].splitlines())
    except ValueError:
        return Stamped({}, ())
    return Stamped(head, tuple(rows)) if isinstance(head, dict) else Stamped({}, ())


def write_lines(path: Path, documents: Iterable[Document]) -> None:
    """Write a file anew; its folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(_line, documents)), encoding="ascii")


def append_line(path: Path, document: Document) -> None:
    """Add one line to a file."""
    with path.open("a", encoding="ascii") as file:
        file.write(_line(document))


def _line(document: Document) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"
