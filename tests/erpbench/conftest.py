"""A command line whose driver is a fake, in a folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from actors import driver
from erpbench import report_files
from erpbench.__main__ import app
from tests.erpbench.fake_driver import FakeDriver

Command = Callable[..., Result]


@pytest.fixture
def erpbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call the command line as a person would, in an empty folder; its result has output, stderr and exit_code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments))

    return call


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    """Put a fake in the driver's place; figures, which take seconds, are left to the tests that look at them."""
    fake = FakeDriver()
    monkeypatch.setattr(report_files, "drawn", lambda _report: {})
    for name in ("play", "resume", "status"):
        monkeypatch.setattr(driver, name, getattr(fake, name))
    return fake
