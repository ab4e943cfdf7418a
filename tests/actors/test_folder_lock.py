import subprocess
import sys
from pathlib import Path

import pytest

from actors.folder_lock import held
from erpsim.errors import RunError
from tests.architecture.checks import ROOT

HOLDER = """
import sys
from pathlib import Path
from actors.folder_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_process_is_refused_until_the_first_dies(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RunError, match=f"process {holder.pid} plays this run already"), held(tmp_path / "run.lock"):
            pass
        holder.kill()
        with held(tmp_path / "run.lock", wait_seconds=10.0):
            pass


def test_a_lock_is_free_again_after_its_block(tmp_path: Path) -> None:
    for _ in range(2):
        with held(tmp_path / "run.lock"):
            pass


def test_a_lock_in_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be made"), held(tmp_path / "none" / "run.lock"):
        pass
