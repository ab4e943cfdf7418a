"""Small disks and small shared memory, as far as this process may mount; otherwise a word that says why not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

DISK_BYTES: Final = 16 * 1024 * 1024
SHARED_MEMORY: Final = 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"'


@contextmanager
def small_disk(folder: Path) -> Iterator[str]:
    """Have a disk of 16 MB at a folder while the block runs; gives why not, or nothing."""
    folder.mkdir()
    why = _mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder))
    try:
        yield why
    finally:
        if not why:
            subprocess.run(["umount", "--lazy", str(folder)], check=False, capture_output=True)  # noqa: S603, S607


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Have a disk without a free byte while the block runs."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as stream:
        size = 1024 * 1024
        while size:
            try:
                stream.write(bytes(size))
            except OSError:
                size //= 2
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Have a disk that cannot be written while the block runs."""
    _mount("-o", "remount,ro", str(folder))
    try:
        yield
    finally:
        _mount("-o", "remount,rw", str(folder))


def small_shared_memory() -> tuple[str, ...]:
    """Words that start a command in a world whose shared memory has 64 MB; none where that cannot be had."""
    words = (
        "unshare",
        "--mount",
        *(() if os.geteuid() == 0 else ("--map-root-user",)),
        "sh",
        "-c",
        SHARED_MEMORY,
        "sh",
    )
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], check=False, capture_output=True).returncode:  # noqa: S603
        return ()
    return words


def _mount(*words: str) -> str:
    """Mount something; gives why that failed, or nothing."""
    if shutil.which("mount") is None:
        return "there is no mount here"
    done = subprocess.run(["mount", *words], check=False, capture_output=True, text=True)  # noqa: S603, S607
    return done.stderr.strip() or f"mount ended with {done.returncode}" if done.returncode else ""
