"""Runs of `erpbench` as a user starts them, against a server of the test's: one problem of two rounds."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.architecture.checks import ROOT

MODEL = """
[models."small-{letter}"]
base_url = "{base_url}"
model = "smollm2"
dialect = "llama.cpp"
sampling = {{ temperature = 0.7, seed = 11, max_tokens = {max_tokens} }}
limits = {{ connections = 2 }}
timeouts = {{ read = 1800.0, total = 1800.0 }}
prices = {{ input = 0.0, cached = 0.0, output = 0.0, reasoning = 0.0 }}
"""

STANDIN = """
[models."standin/{letter}"]
base_url = "{base_url}"
model = "standin/{letter}"
standin = true
"""


@dataclass(frozen=True)
class Played:
    """A finished run: how it ended, what it said, and its folder."""

    code: int
    said: str
    folder: Path

    def table(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = pq.read_table(self.folder / "records" / f"{name}.parquet").to_pylist()
        return rows


def make_panel(path: Path, rounds: int) -> Path:
    """A panel of one problem, as `erpbench problem generate` makes it."""
    done = erpbench("problem", "generate", "--seed", "7", "--count", "1", "--rounds", str(rounds), "--out", str(path))
    assert done.returncode == 0, done.stderr
    return path


def make_models(path: Path, base_url: str, letters: str, max_tokens: int = 120) -> Path:
    """A models file with one label for each letter, all served by the same server."""
    tables = (MODEL.format(letter=letter, base_url=base_url, max_tokens=max_tokens) for letter in letters)
    path.write_text("".join(tables))
    return path


def add_standins(path: Path, base_url: str, letters: str) -> Path:
    """Add stand-in models to a models file."""
    path.write_text(path.read_text() + "".join(STANDIN.format(letter=letter, base_url=base_url) for letter in letters))
    return path


def play(folder: Path, ecology: str, files: tuple[Path, Path], *options: str) -> Played:
    """Play the problem of a panel in one ecology; `files` are models and panel."""
    models, panel = files
    where = ("--out", str(folder), "--models", str(models), "--panel", str(panel))
    done = erpbench("run", "--ecology", ecology, "--problems", "1", *where, *options)
    return Played(done.returncode, done.stdout + done.stderr, folder)


def erpbench(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command: Sequence[str] = (sys.executable, "-m", "erpbench", *arguments)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def sent(call: dict[str, Any]) -> list[dict[str, Any]]:
    """Messages that a recorded call added to its conversation."""
    messages: list[dict[str, Any]] = json.loads(call["request"])["messages"]
    return messages
