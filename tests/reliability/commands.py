"""The commands of the reliability benchmarks, as a person starts them."""

import json
import subprocess
import sys
from typing import Any

from tests.architecture.checks import ROOT


def figures_of(module: str, *arguments: str) -> dict[str, Any]:
    """Run a command to its end and give the JSON of its last line."""
    command = [sys.executable, "-m", f"benchmarks.reliability.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    assert len(lines) == 1, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"  # Ray says nothing there either
    figures: dict[str, Any] = json.loads(lines[0])
    assert done.returncode == 0, f"{figures}\n{done.stderr[-3000:]}"
    return figures
