"""The server on the page on policies runs as it stands, and is played by a run like a model."""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from actors.llm.observed import asking_message
from ecologies.models import parse_models
from ecologies.policy import Policy
from erpsim.observation_document import observation_json
from erpsim.parsing import read_decision
from tests.actors.llm.worlds import later_observation, opening_observation
from tests.docs.own_policy import PAGE, script, server, shown_output
from tests.docs.pages import ROOT, blocks


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Save the page's server in a folder, start it with nothing but Python, and give its address."""
    (folder / "policy_server.py").write_text(server().text, encoding="utf-8")
    command = [sys.executable, "-I", "-W", "error", "policy_server.py", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().split()[-1]}/decide"
        finally:
            process.kill()


def in_python(folder: Path) -> Policy:
    """The page's policy in Python."""
    path = folder / "two_cycles.py"
    path.write_text(script().text, encoding="utf-8")
    policy: Policy = runpy.run_path(str(path))["TwoCycles"]()
    return policy


def models_file(url: str) -> str:
    """The page's models file, with another address in it."""
    (block,) = blocks(PAGE, "toml")
    address = "http://127.0.0.1:8001/decide"
    assert address in block.text
    return block.text.replace(address, url)


def asked(url: str, observation: dict[str, Any]) -> dict[str, Any]:
    """Post an observation as a run does."""
    body = str(asking_message("two-cycles", observation, 0, None)["content"]).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body), timeout=30) as response:
        answer: dict[str, Any] = json.loads(response.read())
    return answer


def test_the_pages_models_file_names_the_policy() -> None:
    (entry,) = parse_models(models_file("http://127.0.0.1:8001/decide"), "the page").entries
    assert (entry.spec.kind, entry.spec.label) == ("http", "two-cycles")


def test_the_server_decides_as_the_pages_policy_in_python(tmp_path: Path) -> None:
    """The two see the same numbers, so that the JSON holds all that the policy in Python reads."""
    policy = in_python(tmp_path)
    with serving(tmp_path) as url:
        for observation in (opening_observation(), later_observation()):
            answer = asked(url, observation_json(observation))
            reading = read_decision(json.dumps(answer["decision"]), None)
            assert reading.clean
            assert reading.decision is not None
            assert reading.decision == asyncio.run(policy.decide(observation)).decision
            assert len(reading.decision.production) == 24


@pytest.mark.ray
@pytest.mark.slow
def test_a_run_plays_the_server_and_reports_it(tmp_path: Path) -> None:
    with serving(tmp_path) as url:
        (tmp_path / "policies.toml").write_text(models_file(url), encoding="utf-8")
        chosen = ("--models", "policies.toml", "--problems", "P001")
        solo = ("run", *chosen, "--ecology", "solo", "--out", "runs/solo")
        mixed = ("run", *chosen, "--lineup", "two-cycles*2,balanced,growth", "--out", "runs/mixed")
        for arguments in (("models", "check", "--models", "policies.toml"), solo, mixed, ("report", "runs/solo")):
            told = erpbench(tmp_path, *arguments)
    rounds = pq.read_table(tmp_path / "runs" / "solo" / "records" / "rounds.parquet").to_pylist()
    ours = [row for row in rounds if row["policy_kind"] == "http"]
    assert [(row["policy"], row["model"], row["decision_status"], row["round"]) for row in ours] == [
        ("two-cycles", "two-cycles", "clean", number) for number in range(1, 7)
    ]
    assert {row["route"] for row in ours} == {"two-cycles-1||"}
    in_python = next(line for line in shown_output().text.splitlines() if "two-cycles" in line)
    assert f" {ours[-1]['valuation'] / 1e6:.1f} M EUR" in in_python
    outcomes = pq.read_table(tmp_path / "runs" / "mixed" / "records" / "outcomes.parquet").to_pylist()
    assert [(row["seat"], row["model"]) for row in outcomes] == [(0, "two-cycles"), (1, "two-cycles")]
    assert "two-cycles" in told


def erpbench(folder: Path, *arguments: str) -> str:
    """Call the command line in a folder; gives its output."""
    command = [sys.executable, "-m", "erpbench", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
