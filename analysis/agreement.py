"""How far two ecologies, or two models, agree: winners, transitions between them, rank correlation, wins in pairs.

Ecologies are compared over the problems that every compared model completed in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from analysis.bootstrap import FloatArray, Interval, Resamples, mean_limits
from analysis.metrics import SETTING, complete_problems, settings_of, wide

SOLO: Final = ("solo", "")
ARENA: Final = ("arena", "")

Setting = tuple[str, str]


class Agreement(NamedTuple):
    """How far two ecologies crown the same models.

    Attributes:
        same_winner: problems whose sets of winners are equal; None when no problem can be compared.
        n_problems: problems that every model completed in both ecologies.
    """

    same_winner: int | None
    n_problems: int


class RankAgreement(NamedTuple):
    """Mean within-problem rank correlation of two ecologies.

    Attributes:
        mean: over the problems where it is defined; NaN when there is none.
        interval: of the mean, by resampling of problems.
        n_defined: problems behind the mean.
        n_undefined: problems where all models are equal in one ecology, or a single one is compared.
    """

    mean: float
    interval: Interval
    n_defined: int
    n_undefined: int


def winners(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, problem and winning model: all models at the maximum win; weight 1 / their number.

    Args:
        problems: rows of `metrics.by_problem`.
    """
    present = problems[problems["valuation_m"].notna()]
    groups = present.groupby([*SETTING, "problem_id"])["valuation_m"]
    won = present[present["valuation_m"] == groups.transform("max")][[*SETTING, "problem_id", "model"]]
    sizes = won.groupby([*SETTING, "problem_id"])["model"].transform("size")
    return won.assign(weight=1.0 / sizes).reset_index(drop=True)


def same_winner(problems: pd.DataFrame, models: Sequence[str], base: str = "solo", other: str = "arena") -> Agreement:
    """Count the problems with equal sets of winners, over those that every model completed in both ecologies.

    Args:
        problems: rows of `metrics.by_problem`.
        models: those that are compared.
        base: one ecology.
        other: the other.
    """
    complete = complete_problems(problems, models, (base, other)) if models else []
    if not complete:
        return Agreement(None, 0)
    won = winners(problems[problems["problem_id"].isin(complete) & problems["model"].isin(models)])
    sets = {
        (ecology, problem_id): frozenset(names)
        for (ecology, problem_id), names in won.groupby(["ecology", "problem_id"])["model"]
    }
    return Agreement(sum(sets[base, name] == sets[other, name] for name in complete), len(complete))


def transitions(
    problems: pd.DataFrame, models: Sequence[str], base: str = "solo", other: str = "arena"
) -> pd.DataFrame:
    """Give one row per pair of models (winner_base, winner_other): n problems that went from the one to the other.

    With several winners S in one ecology and A in the other, each pair counts 1 / (|S| |A|), so that n sums to the
    number of problems compared.

    Args:
        problems: rows of `metrics.by_problem`.
        models: those that are compared; every pair of them has a row.
        base: one ecology.
        other: the other.
    """
    complete = complete_problems(problems, models, (base, other))
    won = winners(problems[problems["problem_id"].isin(complete) & problems["model"].isin(models)])
    before, after = (won[won["ecology"] == name][["problem_id", "model", "weight"]] for name in (base, other))
    pairs = before.merge(after, on="problem_id", suffixes=("_base", "_other"))
    weights = (pairs["weight_base"] * pairs["weight_other"]).groupby([pairs["model_base"], pairs["model_other"]]).sum()
    names = ["winner_base", "winner_other"]
    index = pd.MultiIndex.from_product([list(models), list(models)], names=names)
    return weights.rename_axis(names).reindex(index, fill_value=0.0).rename("n").reset_index()


def rank_correlations(
    problems: pd.DataFrame, models: Sequence[str], base: Setting = SOLO, other: Setting = ARENA
) -> pd.DataFrame:
    """Give one row per problem that every model completed in both settings: rho, Spearman's over the models.

    rho is undefined (NaN) where all models are equal in one of the settings, or only one is compared.

    Args:
        problems: rows of `metrics.by_problem`.
        models: those that are compared.
        base: one setting.
        other: the other.
    """
    complete = complete_problems(problems, models, (base[0], other[0]))
    if not complete:
        return pd.DataFrame({"problem_id": pd.Series(dtype="str"), "rho": pd.Series(dtype="float64")})
    one, two = (
        wide(problems, setting).reindex(index=complete, columns=list(models)).to_numpy() for setting in (base, other)
    )
    return pd.DataFrame({"problem_id": complete, "rho": spearman(one, two)})


def rank_agreement(correlations: pd.DataFrame, resamples: Resamples) -> RankAgreement:
    """Take the mean within-problem rank correlation, with its interval.

    Args:
        correlations: rows of `rank_correlations`.
        resamples: of all problems.
    """
    values = correlations.set_index("problem_id")[["rho"]]
    defined = int(values["rho"].notna().sum())
    (interval,) = mean_limits(values, resamples)
    mean = float(values["rho"].mean()) if defined else np.nan
    return RankAgreement(mean, interval, defined, len(values) - defined)


def win_rates(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and ordered pair of models: wins, ties and win_rate over the n problems both completed.

    win_rate = (wins + ties / 2) / n, undefined without a common problem.

    Args:
        problems: rows of `metrics.by_problem`.
    """
    rows = []
    for setting in settings_of(problems):
        table = wide(problems, setting)
        for model, opponent in permutations(table.columns, 2):
            both = table[[model, opponent]].dropna()
            wins = int((both[model] > both[opponent]).sum())
            ties = int((both[model] == both[opponent]).sum())
            rate = (wins + ties / 2) / len(both) if len(both) else np.nan
            rows.append((*setting, model, opponent, len(both), wins, ties, rate))
    return pd.DataFrame(rows, columns=[*SETTING, "model", "opponent", "n", "wins", "ties", "win_rate"])


def model_correlations(problems: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and ordered pair of models: rho, Spearman's over the n problems that both completed.

    Each pair stands for itself: a model that is equal in every problem leaves the others' figures as they are.

    Args:
        problems: rows of `metrics.by_problem`.
    """
    rows = []
    for setting in settings_of(problems):
        table = wide(problems, setting)
        for model, opponent in permutations(table.columns, 2):
            both = table[[model, opponent]].dropna().to_numpy().T
            rho = spearman(both[:1], both[1:])[0] if both.shape[1] else np.nan
            rows.append((*setting, model, opponent, both.shape[1], rho))
    return pd.DataFrame(rows, columns=[*SETTING, "model", "opponent", "n", "rho"])


def spearman(one: FloatArray, two: FloatArray) -> FloatArray:
    """Correlate rows by rank, ties sharing their mean rank (Spearman 1904); NaN where a row is constant.

    Args:
        one: (rows, n) finite.
        two: (rows, n) finite.
    """
    centred = [rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (one, two)]
    products = (centred[0] * centred[1]).sum(axis=1)
    scale = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
    rho: FloatArray = np.divide(products, scale, out=np.full(len(one), np.nan), where=scale > 0)
    return rho.clip(-1.0, 1.0)
