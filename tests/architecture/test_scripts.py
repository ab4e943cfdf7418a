"""The set-up that every script shares, in a small checkout of its own whose Python and `erpbench` are tiny programs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import checks

BASH = shutil.which("bash") or "bash"
SYSTEM_TOOLS = ("bash", "cat", "cksum", "dirname")
WORKING_PYTHON = f'#!{BASH}\nexec "{sys.executable}" "$@"\n'
BROKEN_PYTHON = f"#!{BASH}\nexit 127\n"
OLD_PYTHON = f"#!{BASH}\nexit 1\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A set-up checkout: scripts, pins, and a .venv marked as made from them."""
    root = tmp_path / "a checkout"
    for name in ("scripts", "requirements"):
        shutil.copytree(checks.ROOT / name, root / name)
    shutil.copy(checks.ROOT / "pyproject.toml", root)
    _program(root / ".venv" / "bin" / "python", WORKING_PYTHON)
    _program(root / ".venv" / "bin" / "erpbench", f"#!{BASH}\nprintf '<%s>' \"$@\"\n")
    assert _in_setup(root, 'wanted_state base > "$venv/ready-base"').returncode == 0
    return root


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _in_setup(root: Path, command: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    script = f'set -u; . "{root}/scripts/setup.sh"; {command}'
    environment = {"PATH": path or os.environ["PATH"]}
    return subprocess.run([BASH, "-c", script], capture_output=True, text=True, env=environment, check=False)


def _tools(folder: Path) -> Path:
    folder.mkdir()
    for name in SYSTEM_TOOLS:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def _run(root: Path, *arguments: str) -> str:
    command = [BASH, str(root / "scripts" / "run"), *arguments]
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, capture_output=True, text=True, cwd=os.sep, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_run_without_arguments_plays_the_main_job(checkout: Path) -> None:
    assert _run(checkout) == "<run>"


def test_run_passes_its_arguments_unchanged(checkout: Path) -> None:
    assert _run(checkout, "problem", "show", "a b", "*") == "<problem><show><a b><*>"


def test_a_set_up_checkout_is_ready(checkout: Path) -> None:
    assert _in_setup(checkout, "is_ready base").returncode == 0


@pytest.mark.parametrize("name", ["requirements/base.txt", "pyproject.toml"])
def test_a_changed_pin_or_project_file_is_set_up_again(checkout: Path, name: str) -> None:
    with (checkout / name).open("a") as file:
        file.write("# changed\n")
    assert _in_setup(checkout, "is_ready base").returncode != 0


def test_a_moved_checkout_is_set_up_again(checkout: Path) -> None:
    moved = checkout.rename(checkout.with_name("elsewhere"))
    assert _in_setup(moved, "is_ready base").returncode != 0


def test_a_venv_whose_python_is_gone_is_set_up_again(checkout: Path) -> None:
    (checkout / ".venv" / "bin" / "python").unlink()
    assert _in_setup(checkout, "is_ready base").returncode != 0


def test_a_set_up_that_was_cut_off_leaves_no_mark(checkout: Path, tmp_path: Path) -> None:
    _program(checkout / ".venv" / "bin" / "python", f'#!{BASH}\n[ "$1" = -c ]\n')
    with (checkout / "requirements" / "base.txt").open("a") as file:
        file.write("# changed\n")
    done = _in_setup(checkout, "set_up base")
    assert done.returncode != 0
    assert "failed; nothing was started" in done.stderr
    assert not (checkout / ".venv" / "ready-base").exists()


def test_a_shim_that_starts_nothing_is_passed_over(checkout: Path, tmp_path: Path) -> None:
    tools = _tools(tmp_path / "tools")
    _program(tmp_path / "shims" / "python3.13", BROKEN_PYTHON)
    _program(tmp_path / "shims" / "python3", OLD_PYTHON)
    _program(tmp_path / "real ones" / "python3", WORKING_PYTHON)
    done = _in_setup(checkout, "find_python", f"{tmp_path / 'shims'}:{tmp_path / 'real ones'}:{tools}")
    assert done.stdout == f"{tmp_path / 'real ones' / 'python3'}\n"


def test_a_machine_without_a_python_is_told_what_to_install(checkout: Path, tmp_path: Path) -> None:
    done = _in_setup(checkout, "find_python", str(_tools(tmp_path / "tools")))
    assert done.returncode == 1
    assert "no Python from 3.11 on" in done.stderr
