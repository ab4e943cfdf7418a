"""Panels of valuations as tables, from arrays: the frames that statistics are taken from, without a run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis import metrics

Valuations = Sequence[Sequence[float]] | NDArray[np.float64]

STRATA = ("baseline", "dual_pressure", "hard", "random_hard")


def names(count: int) -> tuple[str, ...]:
    """Labels m0, m1 and so on."""
    return tuple(f"m{number}" for number in range(count))


def outcomes(ecology: str, valuations_m: Valuations, models: Sequence[str] = ()) -> pd.DataFrame:
    """Outcomes of one ecology: a row of the array per problem, a column per model; NaN stays a row without a value."""
    values = np.atleast_2d(np.asarray(valuations_m, dtype=np.float64))
    labels = tuple(models) or names(values.shape[1])
    rows = [
        {
            "ecology": ecology,
            "lineup": "",
            "problem_id": f"P{problem:03d}",
            "stratum": STRATA[problem % len(STRATA)],
            "trial": 0,
            "seat": seat,
            "market_id": f"{ecology}/P{problem:03d}" + (f"/{label}" if ecology == "solo" else ""),
            "model": label,
            "valuation": value * 1e6,
        }
        for problem, row in enumerate(values)
        for seat, (label, value) in enumerate(zip(labels, row, strict=True))
    ]
    return pd.DataFrame(rows)


def played(solo: Valuations, arena: Valuations, models: Sequence[str] = ()) -> pd.DataFrame:
    """Trajectories of both ecologies."""
    frames = [outcomes("solo", solo, models), outcomes("arena", arena, models)]
    return metrics.trajectories(pd.concat(frames, ignore_index=True))


def problems(solo: Valuations, arena: Valuations, models: Sequence[str] = ()) -> pd.DataFrame:
    """Problems and models of both ecologies."""
    return metrics.by_problem(played(solo, arena, models))


def one_ecology(valuations_m: Valuations, models: Sequence[str] = (), ecology: str = "arena") -> pd.DataFrame:
    """Problems and models of one ecology."""
    return metrics.by_problem(metrics.trajectories(outcomes(ecology, valuations_m, models)))


def record(table: pd.DataFrame, **where: object) -> dict[str, Any]:
    """The one row where some columns have these values."""
    for name, value in where.items():
        table = table[table[name] == value]
    (found,) = table.to_dict("records")
    return {str(name): value for name, value in found.items()}


def cell(table: pd.DataFrame, column: str, **where: object) -> float:
    """The one number of a column where other columns have these values."""
    return float(record(table, **where)[column])
