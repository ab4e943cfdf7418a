import json
import subprocess
import sys
from pathlib import Path

import pytest

from actors.imports import PACKAGES, Code, check, code_root, own_code, probe
from erpsim.errors import RunError
from tests.architecture.checks import ROOT

# Looks packages up by the import path of another process, whose own `actors` may be a foreign one.
LOOK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from actors.imports import probe
look = probe()
sys.path[:0] = sys.argv[2:]
print(json.dumps(look(("erpsim", "ecologies", "actors"), "")))
"""


def _found_from(*folders: Path) -> dict[str, tuple[str, str]]:
    command = [sys.executable, "-c", LOOK, str(ROOT), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=True)
    return {name: (found[0], found[1]) for name, found in json.loads(done.stdout).items()}


def test_own_code_names_the_packages_of_this_process() -> None:
    mine = own_code()
    assert code_root() == ROOT
    assert [mine[name].folder for name in PACKAGES] == [str(ROOT / name) for name in PACKAGES]
    assert len({code.digest for code in mine.values()}) == 3


def test_a_process_with_the_same_code_passes() -> None:
    check(own_code(), _found_from(), "a worker")


def test_g3_05_a_folder_with_an_actors_package_of_its_own_is_told_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "actors").mkdir()
    (tmp_path / "actors" / "__init__.py").write_text("DECIDES = 'otherwise'\n")
    with pytest.raises(RunError, match=r"a worker finds 'actors' in .*no model was called") as caught:
        check(own_code(), _found_from(tmp_path), "a worker")
    assert str(tmp_path / "actors") in str(caught.value)


def test_a_missing_package_is_told() -> None:
    theirs = {name: (code.folder, code.digest) for name, code in own_code().items()}
    with pytest.raises(RunError, match="finds no package 'ecologies'"):
        check(own_code(), {**theirs, "ecologies": ("", "")}, "a worker")


def test_one_changed_byte_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "actors").mkdir()
    path = tmp_path / "actors" / "one.py"
    path.write_text("A = 1\n")
    before = probe()(("actors",), str(tmp_path))
    path.write_text("A = 2\n")
    after = probe()(("actors",), str(tmp_path))
    assert before["actors"][0] == after["actors"][0]
    with pytest.raises(RunError, match="other code would decide"):
        check({"actors": Code(*before["actors"])}, after, "a worker")
