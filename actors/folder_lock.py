"""A lock on a run folder that the system takes back by itself when its holder dies, however it dies."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from erpsim.errors import RunError


@contextmanager
def held(path: Path, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; the file stays and holds the holder's process id.

    Raises:
        RunError: another process holds it still after `wait_seconds`, or it cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        why = error.strerror or "error"
        raise RunError(f"{path}: cannot be made ({why}); mend the folder's permissions or choose another") from error
    try:
        _take(path, descriptor, time.monotonic() + wait_seconds)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def _take(path: Path, descriptor: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise RunError(f"{path}: cannot be locked ({error.strerror}); use a local disk") from error
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 20, 0).decode(errors="replace") or "?"
                raise RunError(
                    f"{path.parent}: process {holder} plays this run already; wait for it, end it, or choose another"
                    " folder"
                ) from error
            time.sleep(0.1)
        else:
            return
