"""The figures of a report under stable keys, for `report.json`; what is undefined is null."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import pandas as pd

from analysis import interventions, yardsticks
from analysis.coverage import Coverage
from analysis.material import Material, of_model
from analysis.source import CALLS
from analysis.yardsticks import Yardsticks
from erpsim.events import PAPER_CATEGORIES

PAIR: Final = ("solo", "arena")
ECOLOGY_KEYS: Final = {
    "mean_valuation_m": "valuation_m",
    "mean_rank": "rank",
    "bottom_rate": "bottom_rate",
    "p90_regret": "p90_regret",
}
"""Keys of a model in an ecology, with their columns in `metrics.summary`."""

EFFECT_KEYS: Final = ("delta_m", "ci_low_m", "ci_high_m", "p", "q")
SPENT: Final = ("llm_calls", "tool_calls", "tokens_in", "tokens_out", "cost_usd")


def figures(it: Material, not_computed: Sequence[str] = ()) -> dict[str, Any]:
    """Lay the findings out.

        models.LABEL.solo, .arena   mean_valuation_m, mean_rank, bottom_rate, p90_regret; mixed too where it was played
        models.LABEL                delta_m, ci_low_m, ci_high_m, p, q
        agreement                   same_winner, n_problems, spearman_mean, spearman_ci = [low, high]
        interventions.CATEGORY      counts; the paper's six are always there
        coverage                    complete, parts, missing, statement
        yardsticks.LABEL.ECOLOGY    of_rule, of_response, of_plan over n_rule, n_response, n_plan problems, conduct over
                                    rounds of all_rounds; only where the panel has yardsticks
        certificate                 see `certificate.certificate`; with it standins, notes, not_computed,
                                    no_answer_share (by model and ecology), and in its cost what failed attempts are

    Args:
        it: what the report is made from.
        not_computed: sentences about what the source does not allow.
    """
    ranks = it.findings.rank_agreement
    interval = [_number(limit) for limit in ranks.interval]
    return {
        "models": {label: _model(it, label) for label in it.models},
        "agreement": {
            "same_winner": it.findings.same_winner.same_winner,
            "n_problems": it.findings.same_winner.n_problems,
            "spearman_mean": _number(ranks.mean),
            "spearman_ci": None if None in interval else interval,
        },
        "interventions": _interventions(it),
        "coverage": _coverage(it.coverage),
        **({} if it.source.yardsticks is None else {"yardsticks": _yardsticks(it, it.source.yardsticks)}),
        "certificate": _certificate(it, not_computed),
    }


def _model(it: Material, label: str) -> dict[str, Any]:
    mine = of_model(it.findings.summary, label)
    ecologies = dict.fromkeys((*PAIR, *(name for name, _ in it.settings)))
    result: dict[str, Any] = {}
    for ecology in ecologies:
        row = mine[mine["ecology"] == ecology]
        result[ecology] = {key: _only(row[column]) for key, column in ECOLOGY_KEYS.items()}
    effect = of_model(it.findings.effects, label)
    return result | {key: _only(effect[key]) for key in EFFECT_KEYS}


def _yardsticks(it: Material, given: Yardsticks) -> dict[str, Any]:
    shares, prices = yardsticks.reached(it.problems, given), yardsticks.conduct(it.source.records.rounds, given)
    counted = (("n_rule", "n_response", "n_plan"), ("rounds", "all_rounds"))
    measured = (("of_rule", "of_response", "of_plan"), ("conduct",))
    found: dict[str, Any] = {label: {} for label in it.models}
    for frame, names, counts in zip((shares, prices), measured, counted, strict=True):
        for row in frame.to_dict("records"):
            setting = " ".join(filter(None, (row["ecology"], row["lineup"])))
            told = {name: _number(row[name]) for name in names} | {name: int(row[name]) for name in counts}
            found[row["model"]].setdefault(setting, {}).update(told)
    return found


def _only(values: pd.Series) -> float | None:
    """Give the one value of a selection; None when there is none, or one for each of several line-ups."""
    return _number(values.iloc[0]) if len(values) == 1 else None


def _number(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _interventions(it: Material) -> dict[str, int | None]:
    if not it.audited:
        return dict.fromkeys(PAPER_CATEGORIES)
    summed = interventions.totals(it.findings.counts).groupby("category", sort=False)["n"].sum()
    counts: dict[str, int | None] = dict.fromkeys(PAPER_CATEGORIES, 0)
    return counts | {str(name): int(n) for name, n in summed.items()}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    missing = [
        {
            "market_id": item.trajectory.market_id,
            "seat": item.trajectory.seat,
            "model": item.trajectory.model,
            "cause": item.cause,
        }
        for item in coverage.missing
    ]
    return {
        "complete": coverage.complete,
        "parts": [asdict(part) for part in coverage.parts],
        "missing": missing,
        "statement": coverage.statement(),
    }


def _certificate(it: Material, not_computed: Sequence[str]) -> dict[str, Any]:
    found = dict(it.findings.certificate)
    if not it.audited or it.lacks("events.round"):
        found["interventions"] = None
    if it.lacks("rounds.route"):
        found["routes"] = None
    unknown = [name for name in SPENT if it.lacks(f"rounds.{name}")]
    found["cost"] = {key: None if key in unknown else value for key, value in found["cost"].items()}
    if "cost_usd" in unknown:
        found["cost"]["unpriced_rounds"] = None
    if {"tokens_in", "tokens_out"} & set(unknown):
        found["cost"]["uncounted_rounds"] = None
    found["cost"] |= _attempts(it)
    found["no_answer_share"] = _no_answer(it)
    found["standins"] = [label for label in it.models if label in it.source.standins]
    found["notes"] = list(it.source.notes)
    found["not_computed"] = list(not_computed)
    return found


def _attempts(it: Material) -> dict[str, Any]:
    """Attempts of all models, failed ones among them, and money for what was not used; the preflight is in them."""
    frame = it.findings.attempts
    if it.lacks(CALLS):
        return dict.fromkeys(("attempts", "failed_attempts", "unused_usd"))
    unused = frame["cost_unused_usd"]
    return {
        "attempts": int(frame["calls"].sum()),
        "failed_attempts": int(frame["failed"].sum()),
        "unused_usd": None if unused.isna().any() else float(unused.sum()),
    }


def _no_answer(it: Material) -> dict[str, dict[str, float]] | None:
    if not it.audited:
        return None
    frame = it.findings.no_answer
    return {
        label: {
            " ".join(filter(None, (row["ecology"], row["lineup"]))): float(row["share"])
            for row in of_model(frame, label).to_dict("records")
        }
        for label in it.models
    }
