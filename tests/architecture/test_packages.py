"""What importing a package does, and what it offers."""

import importlib
import json
import subprocess
import sys

import pytest

from tests.architecture import checks

# Imports erpsim and every module of it, and prints which of the watched modules that loaded.
WATCH = """
import importlib, json, pkgutil, sys
{first}
import erpsim
for module in pkgutil.walk_packages(erpsim.__path__, "erpsim."):
    importlib.import_module(module.name)
print(json.dumps(sorted(set(sys.argv[1:]) & set(sys.modules))))
"""
HEAVY = ("aiohttp", "asyncio", "pandas", "pyarrow", "ray", "scipy", "sqlite3")


def _loaded_with_erpsim(first: str = "") -> list[str]:
    command = [sys.executable, "-c", WATCH.format(first=first), *HEAVY]
    done = subprocess.run(command, capture_output=True, text=True, cwd=checks.ROOT, check=False)
    assert done.returncode == 0, done.stderr
    loaded: list[str] = json.loads(done.stdout)
    return loaded


def test_erpsim_loads_neither_ray_nor_frames_nor_an_event_loop() -> None:
    assert _loaded_with_erpsim() == []


def test_the_watch_on_erpsim_sees_a_heavy_import() -> None:
    assert _loaded_with_erpsim("import sqlite3") == ["sqlite3"]


@pytest.mark.parametrize("package", checks.PACKAGES)
def test_a_package_lists_its_public_names(package: str) -> None:
    module = importlib.import_module(package)
    assert isinstance(module.__all__, list | tuple)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert checks.unlisted_exports((checks.ROOT / package / "__init__.py").read_text()) == []


@pytest.mark.parametrize("package", [*checks.PACKAGES, "tests"])
def test_a_folder_has_lint_rules_that_extend_the_root(package: str) -> None:
    assert 'extend = "../ruff.toml"' in (checks.ROOT / package / "ruff.toml").read_text()


@pytest.mark.parametrize("package", checks.PACKAGES)
def test_the_linter_refuses_what_the_direction_forbids(package: str) -> None:
    source = "".join(f"import {name}\n" for name in sorted(checks.FORBIDDEN_IMPORTS[package]))
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--output-format", "json", "--no-cache"]
    done = subprocess.run(
        [*command, "--stdin-filename", f"{package}/planted.py", "-"],
        input=source,
        capture_output=True,
        text=True,
        cwd=checks.ROOT,
        check=False,
    )
    assert len(json.loads(done.stdout)) == len(checks.FORBIDDEN_IMPORTS[package]), done.stderr


@pytest.mark.parametrize("package", ["erpsim", "ecologies"])
def test_a_package_refuses_a_name_that_it_does_not_have(package: str) -> None:
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'nothing'"):
        _ = importlib.import_module(package).nothing


@pytest.mark.parametrize("package", ["erpsim", "ecologies"])
def test_the_types_of_a_package_name_what_it_offers(package: str) -> None:
    stub = (checks.ROOT / package / "__init__.pyi").read_text()
    assert f"__all__ = {json.dumps(importlib.import_module(package).__all__)}" == _one_line(
        stub[stub.index("__all__") :]
    )


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("[ ", "[").replace(", ]", "]")
