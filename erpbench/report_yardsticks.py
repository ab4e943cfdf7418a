"""The yardsticks of a run's panel, and the price levels that are held against them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from actors.run_file import RunFile
from analysis.yardsticks import Yardsticks, price_levels
from ecologies.panel_file import Panel, panel_digest
from ecologies.problems import read_panel, shipped_panel
from ecologies.yardsticks.store import shipped
from erpsim.parameters import RULES_VERSION

COLUMNS = ("market_id", "seat", "round", "sku", "price")
DIGITS = 12
"""Of a digest, in a message."""


def read_yardsticks(records: Path, run_file: RunFile) -> Yardsticks | None:
    """Give the shipped yardsticks of the panel that a run played.

    None when it has none, when the run was played by other rules, or when there is no table of cells.

    Raises:
        ProblemError: the panel that the run names cannot be read.
    """
    panel = _panel(run_file)
    static = shipped("static", panel)
    if not static or run_file.plan.rules_version != RULES_VERSION:
        return None
    try:
        cells = pq.read_table(records / "cells.parquet", columns=list(COLUMNS)).to_pandas()
    except (OSError, pa.ArrowException):
        return None
    return Yardsticks(
        static, shipped("played", panel), shipped("response", panel), shipped("plan", panel), price_levels(cells)
    )


def unlike_yardsticks(run_file: RunFile) -> tuple[str, ...]:
    """Say why a run is not held against yardsticks that one would look for; nothing where it is, or has none.

    Raises:
        ProblemError: the panel that the run names cannot be read.
    """
    panel, standard = _panel(run_file), shipped_panel()
    if panel.name == standard.name and panel_digest(panel) != panel_digest(standard):
        ours, theirs = (panel_digest(one)[:DIGITS] for one in (panel, standard))
        said = f"they are of {theirs}, the run of other problems, {ours}"
        return (f"Not held against the yardsticks of the panel {standard.name!r}: {said}.",)
    if run_file.plan.rules_version == RULES_VERSION or not shipped("static", panel):
        return ()
    said = f"they are of rules {RULES_VERSION}, the run of {run_file.plan.rules_version}"
    return (f"Not held against the yardsticks of its panel: {said}.",)


def _panel(run_file: RunFile) -> Panel:
    path = run_file.settings.panel_path
    return read_panel(Path(path) if path else None)
