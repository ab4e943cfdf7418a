"""Decisions that a model did not give because its replies had nothing in them: a share that belongs beside its score.

A budget that reasoning has eaten looks like a bad player: the reply is empty, or cut off at its limit, under a good
status. The fallback decision was played then, and the score is partly that of the fallback.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.interventions import TRAJECTORY
from analysis.metrics import SETTING

NO_ANSWER: Final = ("empty", "truncated", "tool_budget")
"""Codes of fallback decisions: nothing was said, it was cut off, or tools were called until the turns were used up."""


def no_answer(rounds: pd.DataFrame, events: pd.DataFrame, by: tuple[str, ...] = SETTING) -> pd.DataFrame:
    """Give one row per group and model: n rounds, ended of them without an answer, and their share.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        events: the table `events`.
        by: columns that make the groups; none pools the ecologies.
    """
    place = [*TRAJECTORY, "round"]
    wanted = (events["category"] == "fallback_decision") & events["code"].isin(NO_ANSWER)
    ended = events[wanted][place].drop_duplicates().assign(ended=True)
    ours = rounds[rounds["model"].notna()][place].merge(ended, on=place, how="left")
    groups = ours.assign(ended=ours["ended"].notna()).groupby([*by, "model"])["ended"]
    frame = groups.agg(n="size", ended="sum").reset_index()
    return frame.assign(ended=frame["ended"].astype("int64"), share=frame["ended"] / frame["n"])
