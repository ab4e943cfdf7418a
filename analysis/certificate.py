"""The run certificate as data: what a result stands on, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import pandas as pd

from analysis.bootstrap import METHOD, Resamples
from analysis.coverage import Coverage
from analysis.interventions import TRAJECTORY
from analysis.load import Records
from analysis.routes import route_check, routes

TOUCHES: Final = ("fallback", "structural", "operational", "runtime")
"""What a round can be touched by: a fallback decision, or any event of a layer."""


def certificate(
    records: Records, coverage: Coverage, given: Mapping[str, Any], seed: int, resamples: Resamples
) -> dict[str, Any]:
    """Give the certificate of a run; what is undefined is None.

        run            what was given: id, seeds, digests
        rules_version  of the records
        coverage       complete or not, numbers planned and completed, every missing trajectory with its cause
        routes         of each model, and whether they are the same in both ecologies (None if it played one)
        interventions  for a fallback and each layer: lowest and highest share of a model's rounds that it touched
        cost           sums over all rounds of models, those of unfinished markets included
        statistics     seed, number of resamples and method of the intervals

    Args:
        records: of the run, checked.
        coverage: of the run.
        given: facts that the records do not hold, such as the run's id, its seeds and its digests.
        seed: of the resampling.
        resamples: behind the intervals.
    """
    return {
        "run": dict(given),
        "rules_version": coverage.rules_version,
        "coverage": _coverage(coverage),
        "routes": _routes(records.rounds),
        "interventions": _bounds(touched_rounds(records.rounds, records.events)),
        "cost": _cost(records.rounds),
        "statistics": {"seed": seed, "resamples": len(resamples.counts), "interval": METHOD},
    }


def touched_rounds(rounds: pd.DataFrame, events: pd.DataFrame) -> pd.DataFrame:
    """Give one row per model and kind of touch: n rounds in all ecologies, and the share with such an event.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
        events: the table `events`.
    """
    key = [*TRAJECTORY, "round"]
    ours = rounds[rounds["model"].notna()][key]
    frames = []
    for touch in TOUCHES:
        mine = events["category"] == "fallback_decision" if touch == "fallback" else events["layer"] == touch
        hit = ours.merge(events[mine][key].drop_duplicates().assign(hit=True), on=key, how="left")["hit"].notna()
        shares = hit.groupby(ours["model"].to_numpy()).agg(n="size", share="mean")
        frames.append(shares.rename_axis("model").reset_index().assign(touch=touch))
    return pd.concat(frames, ignore_index=True)[["model", "touch", "n", "share"]]


def _coverage(coverage: Coverage) -> dict[str, Any]:
    missing = [
        {"market_id": item.trajectory.market_id, "model": item.trajectory.model, "cause": item.cause}
        for item in coverage.missing
    ]
    parts = [asdict(part) for part in coverage.parts]
    return {"complete": coverage.complete, "parts": parts, "missing": missing}


def _routes(rounds: pd.DataFrame) -> dict[str, Any]:
    found = routes(rounds)
    same = dict(route_check(found)[["model", "same_routes"]].itertuples(index=False, name=None))
    return {
        str(model): {
            "same_in_both_ecologies": same.get(model),
            "rounds": {
                name: {str(route): int(n) for route, n in ours.groupby("route")["rounds"].sum().items()}
                for name, ours in mine.groupby("ecology")
            },
        }
        for model, mine in found.groupby("model")
    }


def _bounds(touched: pd.DataFrame) -> dict[str, Any]:
    result = {}
    for touch in TOUCHES:
        mine = touched[touched["touch"] == touch].sort_values(["share", "model"], kind="stable")
        known = len(mine) > 0
        result[touch] = {
            "lowest_share_of_rounds": float(mine["share"].iloc[0]) if known else None,
            "highest_share_of_rounds": float(mine["share"].iloc[-1]) if known else None,
            "highest_model": str(mine["model"].iloc[-1]) if known else None,
        }
    return result


def _cost(rounds: pd.DataFrame) -> dict[str, Any]:
    ours = rounds[rounds["model"].notna()]
    whole = {name: _whole(ours[name]) for name in ("llm_calls", "tool_calls", "tokens_in", "tokens_out")}
    known = ours["cost_usd"].astype("float64")
    unpriced = int(known.isna().sum())
    return {
        **whole,
        "cost_usd": None if unpriced or not len(ours) else float(known.sum()),
        "unpriced_rounds": unpriced,
        "uncounted_rounds": int(ours[["tokens_in", "tokens_out"]].isna().any(axis="columns").sum()),
    }


def _whole(values: pd.Series) -> int | None:
    """The sum; None when a round does not say, which is not 0."""
    return None if values.isna().any() else int(values.sum())
