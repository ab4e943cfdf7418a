"""The driver as a process that can be killed: plays a run of the trials' setting, or goes on with it.

python -m benchmarks.reliability.drive FOLDER PANEL MODELS
"""

from __future__ import annotations

import sys
from pathlib import Path

from actors import driver
from actors.planning import RunRequest, make_plan
from actors.progress import Progress
from actors.run_file import FILE_NAME, RunSettings
from benchmarks.reliability.setting import LINEUP
from erpsim.errors import ErpbenchError


def main() -> int:
    """Play or go on; prints the stage that is reached, and at last whether the run is complete."""
    folder, panel, models = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    settings = RunSettings(panel_path=panel, models_path=models, skip_preflight=True, ready_seconds=300)

    def told(progress: Progress) -> None:
        print(progress.stage, progress.rounds_done, flush=True)

    try:
        if (folder / FILE_NAME).exists():
            summary = driver.resume(folder, told, settings)
        else:
            plan = make_plan(RunRequest("all", ecologies=("mixed",), lineup=LINEUP), settings)
            summary = driver.play(folder, plan, settings, told)
    except ErpbenchError as error:
        print(f"error: {error}", flush=True)
        return 2
    print("complete" if summary.complete else "incomplete", *summary.failures, flush=True)
    return 0 if summary.complete else 3


if __name__ == "__main__":
    sys.exit(main())
