"""The yardsticks of a run's panel, and the price levels that are held against them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from actors.run_file import RunFile
from analysis.yardsticks import Yardsticks, price_levels
from ecologies.problems import read_panel
from ecologies.yardsticks.store import shipped

COLUMNS = ("market_id", "seat", "round", "sku", "price")


def read_yardsticks(records: Path, run_file: RunFile) -> Yardsticks | None:
    """Give the shipped yardsticks of the panel that a run played, None when it has none or no table of cells.

    Raises:
        ProblemError: the panel that the run names cannot be read.
    """
    path = run_file.settings.panel_path
    panel = read_panel(Path(path) if path else None)
    static = shipped("static", panel)
    if not static:
        return None
    try:
        cells = pq.read_table(records / "cells.parquet", columns=list(COLUMNS)).to_pandas()
    except (OSError, pa.ArrowException):
        return None
    return Yardsticks(
        static, shipped("played", panel), shipped("response", panel), shipped("plan", panel), price_levels(cells)
    )
