"""A text file of a person's, read up to a bound: whatever a path leads to, memory stays bounded."""

from __future__ import annotations

from errno import EINVAL
from pathlib import Path


def read_at_most(path: Path, most: int) -> bytes | None:
    """Read a file of at most so many bytes; None when it is longer.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_fifo() or path.is_socket():
        raise OSError(EINVAL, "no file but a pipe, which would be waited for", str(path))
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    return None if len(data) > most else data
