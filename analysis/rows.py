"""The rows behind the numbers, as CSV files beside the report.

`rounds`, `outcomes` and `events` have the columns that `erpbench report` reads from a folder of CSV files, so that this
folder can be reported again. Text that a spreadsheet would run as a formula has an apostrophe before it.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis import metrics
from analysis.material import Material
from analysis.tables import inert_csv

ROW_FILES: Final = ("trajectories", "pairs", "correlations", "outcomes", "rounds", "events")
"""Names of the files, from the numbers back to the records."""


def row_frames(it: Material) -> dict[str, pd.DataFrame]:
    """Give the rows of each file.

    trajectories  one per model trajectory: valuation_m, rank, regret, bottom, bottom_tied within its problem
    pairs         one per problem and model that is complete in both ecologies: delta_m
    correlations  one per problem: Spearman's rho of Solo and Arena over the models
    outcomes, rounds, events   the records of the models; rules' rounds and events are left out
    """
    records = it.source.records
    lacking = [name.removeprefix("rounds.") for name in it.source.lacks if name.startswith("rounds.")]
    frames = {
        "trajectories": it.played,
        "pairs": metrics.differences(it.problems),
        "correlations": it.findings.correlations,
        "outcomes": records.outcomes,
        "rounds": records.rounds[records.rounds["model"].notna()].drop(columns=lacking),
    }
    if it.audited:
        events = records.events
        ours = events["model"].notna() | (events["category"] == "experiment_failed")
        frames["events"] = events[ours].drop(columns=["round"] if it.lacks("events.round") else [])
    return frames


def row_csv(frame: pd.DataFrame) -> str:
    """Write rows as CSV; numbers in full, empty where a value is missing."""
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    safe = {
        name: frame[name].map({value: inert_csv(str(value)) for value in frame[name].dropna().unique()})
        for name in texts
    }
    written: str = frame.assign(**safe).to_csv(index=False, lineterminator="\n")
    return written
