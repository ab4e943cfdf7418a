"""`erpbench problem compare` and the line that `problem generate` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecologies.panel import generate
from ecologies.panel_file import Panel, encode
from tests.erpbench.conftest import Command


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_generated_panel_is_set_beside_the_shipped_one(erpbench: Command) -> None:
    written = erpbench("problem", "generate", "--seed", "7", "--count", "100", "--out", "mine.json")
    assert "Beside the shipped panel: 92 of 92 statistics within their bands" in written.stdout
    compared = erpbench("problem", "compare", "mine.json")
    assert compared.exit_code == 0
    assert "92 of 92 statistics within their bands" in compared.stdout
    assert "material_level" in compared.stdout


def test_panels_that_differ_end_with_1(erpbench: Command, folder: Path) -> None:
    problems = generate(7, 40)
    (folder / "calm.json").write_bytes(
        encode(Panel(1, "calm", tuple(one for one in problems if one.stratum == "baseline")))
    )
    (folder / "mine.json").write_bytes(encode(Panel(1, "mine", problems)))
    result = erpbench("problem", "compare", "calm.json", "mine.json", "--json")
    assert result.exit_code == 1
    rows = json.loads(result.stdout)
    assert {row["name"] for row in rows if not row["within"]} == {"share"}
