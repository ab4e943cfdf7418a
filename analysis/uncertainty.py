"""How sure the order of models is: differences between them, tie groups, places, and what could have been detected.

All intervals are 95 % percentile intervals over problems, from the same resamples as the paired effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from string import ascii_lowercase
from typing import Final

import numpy as np
import pandas as pd
from scipy import stats

from analysis.bootstrap import FloatArray, Resamples, limits, mean_limits, resampled_means
from analysis.metrics import CROWD, SETTING, settings_of, wide

ALPHA: Final = 0.05
POWER: Final = 0.80


def detectable(standard_deviation: float, n: int, power: float = POWER, alpha: float = ALPHA) -> float:
    """Give the smallest true mean difference that a two-sided test of n differences finds with a given power.

    (t(1 - alpha / 2) + t(power)) s / sqrt(n), t of n - 1 degrees of freedom (Bloom 1995). With s = 50, n = 100 it is
    14.15. Undefined (NaN) for fewer than two differences.

    Args:
        standard_deviation: s of the differences, in any unit.
        n: number of differences.
        power: chance of finding it, in (0.5, 1).
        alpha: level of the test.
    """
    if n < 2:
        return np.nan
    multiplier = stats.t.ppf(1 - alpha / 2, n - 1) + stats.t.ppf(power, n - 1)
    return float(multiplier * standard_deviation / np.sqrt(n))


def detectable_effects(pairs: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Give one row per model: n pairs, their sd_m and detectable_m, the smallest effect found with a power of 80 %.

    Args:
        pairs: rows of `metrics.differences`.
        models: every model of the run.
    """
    spread = pairs.groupby("model")["delta_m"].agg(n="count", sd_m="std").reindex(list(models))
    sizes = spread["n"].fillna(0).astype("int64")
    found = [detectable(sd, n) for sd, n in zip(spread["sd_m"], sizes, strict=True)]
    rows = list(zip(models, sizes, spread["sd_m"], found, strict=True))
    return pd.DataFrame(rows, columns=["model", "n", "sd_m", "detectable_m"])


def model_differences(
    problems: pd.DataFrame, resamples: Resamples, standings: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Give one row per setting and unordered pair of models: difference_m = model - other over n common problems.

    Of more than 24 models with `standings`, only the first against each other one, and neighbours in their order.

    With it its interval ci_low_m, ci_high_m; apart, whether that interval lies on one side of 0; and detectable_m.
    An undefined interval tells nothing apart.

    Args:
        problems: rows of `metrics.by_problem`.
        resamples: of all problems.
        standings: rows of `standings`, for the order of many models.
    """
    rows = []
    for setting in settings_of(problems):
        table = wide(problems, setting)
        couples = list(combinations(table.columns, 2))
        if len(table.columns) > CROWD and standings is not None:
            couples = _beside(_best_first(_of(standings, setting)))
        gaps = pd.DataFrame({couple: table[couple[0]] - table[couple[1]] for couple in couples}, index=table.index)
        for couple, interval in zip(couples, mean_limits(gaps, resamples), strict=True):
            gap = gaps[couple].dropna()
            spread = float(gap.std()) if len(gap) > 1 else np.nan
            apart = interval.low > 0 or interval.high < 0
            mean = float(gap.mean()) if len(gap) else np.nan
            rows.append((*setting, *couple, len(gap), mean, *interval, apart, detectable(spread, len(gap))))
    columns = ["model", "other", "n", "difference_m", "ci_low_m", "ci_high_m", "apart", "detectable_m"]
    return pd.DataFrame(rows, columns=[*SETTING, *columns])


def tie_groups(differences: pd.DataFrame, standings: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting and model, best first: its groups as letters, such as "ab"; a shared letter is a tie.

    A group is a largest set of models of which no two are apart. Not being apart is not transitive, so that a model
    may stand in several groups. More than 24 models have no letters: not every two of them are compared.

    Args:
        differences: rows of `model_differences`.
        standings: rows of `standings`, whose order of mean valuations is the order of letters.
    """
    rows = []
    for setting in settings_of(standings):
        models = _best_first(_of(standings, setting))
        if len(models) > CROWD:
            rows += [(*setting, model, "") for model in models]
            continue
        apart = _of(differences, setting)
        apart = apart[apart["apart"].astype("bool")]
        parted = {frozenset(pair) for pair in zip(apart["model"], apart["other"], strict=True)}
        near = {one: {two for two in models if two != one and frozenset((one, two)) not in parted} for one in models}
        places = {model: place for place, model in enumerate(models)}
        groups = sorted(sorted(places[model] for model in group) for group in largest_groups(near))
        for model, place in places.items():
            letters = [group_name(number) for number, group in enumerate(groups) if place in group]
            rows.append((*setting, model, "".join(letters)))
    return pd.DataFrame(rows, columns=[*SETTING, "model", "groups"])


def standings(problems: pd.DataFrame, models: Sequence[str], resamples: Resamples) -> pd.DataFrame:
    """Give one row per setting and model: how firm its place and its mean rank are.

        valuation_m, place       mean valuation, and place in their order (1 = highest, ties share the mean)
        place_low, place_high    interval of the place
        p_best                   share of resamples where its mean valuation is the highest, ties shared
        rank, rank_low/_high     mean rank and its interval
        n                        problems that every model with some valuation completed; places compare only these

    Args:
        problems: rows of `metrics.by_problem`.
        models: every model of the run; one without a valuation in a setting has NaN there.
        resamples: of all problems.
    """
    frames = [_standing(problems, setting, models, resamples) for setting in settings_of(problems)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*SETTING, "model"])


def largest_groups(near: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """List the largest sets of which all are near each other (maximal cliques, Bron and Kerbosch 1973).

    Args:
        near: those near each one, itself left out; symmetric.
    """
    found: list[frozenset[str]] = []
    stack: list[tuple[frozenset[str], set[str], set[str]]] = [(frozenset(), set(near), set())]
    while stack:
        chosen, open_, done = stack.pop()
        if not open_ and not done and chosen:
            found.append(chosen)
        if not open_:
            continue
        pivot = max(sorted(open_ | done), key=lambda name: len(near[name] & open_))
        for name in sorted(open_ - near[pivot]):
            stack.append((chosen | {name}, open_ & near[name], done & near[name]))
            open_ = open_ - {name}
            done = done | {name}
    return found


def group_name(number: int) -> str:
    """Name the groups a, b and so on to z, then a1, b1."""
    turn, letter = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(turn) if turn else "")


def _best_first(ours: pd.DataFrame) -> list[str]:
    """Models with a rank, the highest valuation first."""
    ranked = ours.dropna(subset=["rank"])
    return list(ranked.sort_values(["valuation_m", "model"], ascending=[False, True])["model"])


def _beside(models: Sequence[str]) -> list[tuple[str, str]]:
    """The first with each other one, then each with the next."""
    return [*product(models[:1], models[1:]), *pairwise(models[1:])]


def _standing(
    problems: pd.DataFrame, setting: tuple[str, str], models: Sequence[str], resamples: Resamples
) -> pd.DataFrame:
    values = wide(problems, setting).reindex(columns=list(models)).dropna(axis=1, how="all")
    ranks = wide(problems, setting, "rank").reindex(columns=values.columns)
    complete = values.dropna()
    places, best = _places(resampled_means(complete, resamples))
    rows = []
    for column, (model, interval) in enumerate(zip(values.columns, mean_limits(ranks, resamples), strict=True)):
        low_high = _place_limits(places[:, column], len(complete))
        p_best = float(best[:, column].mean()) if len(best) and len(complete) else np.nan
        mean = complete[model].mean()
        rows.append((*setting, model, len(complete), mean, *low_high, p_best, ranks[model].mean(), *interval))
    columns = ["model", "n", "valuation_m", "place_low", "place_high", "p_best", "rank", "rank_low", "rank_high"]
    frame = pd.DataFrame(rows, columns=[*SETTING, *columns])
    frame.insert(5, "place", frame["valuation_m"].astype("float64").rank(ascending=False))
    absent = pd.DataFrame([(*setting, name, 0) for name in models if name not in values], columns=frame.columns[:4])
    return _stacked([frame, absent])


def _places(means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places of the columns within each row, and each one's share of being first; rows with NaN left out."""
    defined = means[~np.isnan(means).any(axis=1)]
    places: FloatArray = stats.rankdata(-defined, axis=1)
    first = defined == defined.max(axis=1, keepdims=True) if defined.size else defined
    return places, first / first.sum(axis=1, keepdims=True) if defined.size else first


def _place_limits(places: FloatArray, n: int) -> tuple[float, float]:
    return limits(places) if n > 1 else (np.nan, np.nan)


def _stacked(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)


def _of(frame: pd.DataFrame, setting: tuple[str, str]) -> pd.DataFrame:
    return frame[(frame["ecology"] == setting[0]) & (frame["lineup"] == setting[1])]
