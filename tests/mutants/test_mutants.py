"""Each mutant fails a test; the same tests pass on the code as it is, in the ordinary run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.catalogue import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
TESTS_FAILED = 1
"""pytest's exit code when tests ran and some failed; a mutant that breaks the import gives another."""


def plant(mutant: Mutant, folder: Path) -> None:
    """Copy the simulation and its tests into a folder, with the fault in it."""
    for part in ("erpsim", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / "erpsim" / f"{mutant.module}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(mutant.original) == 1, f"{mutant.original!r} must stand once in {mutant.module}"
    path.write_text(text.replace(mutant.original, mutant.mutated), encoding="utf-8")


def run_tests(mutant: Mutant, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the mutant's tests in its folder, whose packages come first on the path."""
    target = f"tests/erpsim/test_{mutant.tests}.py"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", target]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mutant_fails_a_test(mutant: Mutant, tmp_path: Path) -> None:
    plant(mutant, tmp_path)
    ran = run_tests(mutant, tmp_path)
    assert ran.returncode == TESTS_FAILED, ran.stdout[-2000:] + ran.stderr[-2000:]


@pytest.mark.slow
def test_the_code_without_a_fault_passes_in_the_same_way(tmp_path: Path) -> None:
    sound = Mutant("none", "storage", "RULES.storage_block)", "RULES.storage_block)", "storage")
    plant(sound, tmp_path)
    assert run_tests(sound, tmp_path).returncode == 0
