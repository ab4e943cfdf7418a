"""Every statistic of one run's checked records, each a tidy frame, all from one set of resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis import agreement, bounds, interventions, metrics, paired, pyramid, strata, uncertainty
from analysis.attempts import attempts
from analysis.bootstrap import DRAWS, Resamples, resample
from analysis.certificate import certificate
from analysis.coverage import Coverage, PlannedTrajectory, entered
from analysis.load import Records
from analysis.no_answer import no_answer
from analysis.routes import route_check, routes
from analysis.spending import spending
from analysis.times import times

SEED: Final = 20_260
"""Of the resampling, unless another is given."""

BOTH: Final = ("solo", "arena")


@dataclass(frozen=True)
class Sampling:
    """How intervals are drawn."""

    seed: int = SEED
    draws: int = DRAWS


@dataclass(frozen=True, eq=False)
class Findings:
    """The frames; each names the function that describes its columns.

    Attributes:
        models: labels, in the order of the plan.
        compared: those of them that agreement compares: with a valuation in both ecologies.
        summary: `metrics.summary`.
        effects: `paired.effects`.
        detectable: `uncertainty.detectable_effects`.
        same_winner: `agreement.same_winner`.
        transitions: `agreement.transitions`.
        correlations: `agreement.rank_correlations`.
        rank_agreement: `agreement.rank_agreement`.
        win_rates: `agreement.win_rates`; empty with more than 24 models.
        model_correlations: `agreement.model_correlations`; empty with more than 24 models.
        stratum_effects: `strata.stratum_effects`.
        stratum_levels: `strata.stratum_levels`.
        counts: `interventions.counts`.
        shares: `interventions.shares`, pooled.
        rates: `interventions.per_trajectory`, for each setting.
        operational: `pyramid.reliability`, for each setting.
        operational_pooled: the same over all settings.
        pyramid: `pyramid.pyramid`.
        differences: `uncertainty.model_differences`.
        standings: `uncertainty.standings`.
        tie_groups: `uncertainty.tie_groups`.
        bounds: `bounds.model_bounds`.
        delta_bounds: `bounds.delta_bounds`.
        spending: `spending.spending`.
        attempts: `attempts.attempts`.
        no_answer: `no_answer.no_answer`, for each setting.
        no_answer_pooled: the same over all settings.
        times: `times.times`.
        routes: `routes.routes`.
        route_check: `routes.route_check`.
        certificate: `certificate.certificate`.
    """

    models: tuple[str, ...]
    compared: tuple[str, ...]
    summary: pd.DataFrame
    effects: pd.DataFrame
    detectable: pd.DataFrame
    same_winner: agreement.Agreement
    transitions: pd.DataFrame
    correlations: pd.DataFrame
    rank_agreement: agreement.RankAgreement
    win_rates: pd.DataFrame
    model_correlations: pd.DataFrame
    stratum_effects: pd.DataFrame
    stratum_levels: pd.DataFrame
    counts: pd.DataFrame
    shares: pd.DataFrame
    rates: pd.DataFrame
    operational: pd.DataFrame
    operational_pooled: pd.DataFrame
    pyramid: pd.DataFrame
    differences: pd.DataFrame
    standings: pd.DataFrame
    tie_groups: pd.DataFrame
    bounds: pd.DataFrame
    delta_bounds: pd.DataFrame
    spending: pd.DataFrame
    attempts: pd.DataFrame
    no_answer: pd.DataFrame
    no_answer_pooled: pd.DataFrame
    times: pd.DataFrame
    routes: pd.DataFrame
    route_check: pd.DataFrame
    certificate: Mapping[str, Any]


def findings(
    records: Records,
    planned: Sequence[PlannedTrajectory],
    coverage: Coverage,
    given: Mapping[str, Any],
    sampling: Sampling = Sampling(),
) -> Findings:
    """Take every statistic of a run.

    Args:
        records: checked ones, see `coverage.cover`.
        planned: every trajectory of a model that the run's plan holds.
        coverage: of these records by that plan.
        given: facts for the certificate, such as the run's id, its seeds and its digests.
        sampling: seed and number of resamples.
    """
    models = tuple(dict.fromkeys(item.model for item in planned))
    played = metrics.trajectories(records.outcomes)
    problems = metrics.by_problem(played)
    resamples = resample((item.problem_id for item in planned), sampling.seed, sampling.draws)
    limits = bounds.bounded(played, planned)
    found = routes(records.rounds)
    settings = {item.market_id: (item.ecology, item.lineup) for item in planned}
    return Findings(
        models=models,
        summary=metrics.summary(problems),
        stratum_levels=strata.stratum_levels(problems),
        **_effects(problems, models, resamples, sampling),
        **_agreement(problems, models, resamples),
        **_audit(records, played, planned),
        **_order(problems, models, resamples),
        bounds=bounds.model_bounds(limits),
        delta_bounds=bounds.delta_bounds(limits),
        spending=spending(records.rounds, played),
        attempts=attempts(records.calls, settings),
        no_answer=no_answer(records.rounds, records.events),
        no_answer_pooled=no_answer(records.rounds, records.events, by=()),
        times=times(records.timings, settings),
        routes=found,
        route_check=route_check(found),
        certificate=certificate(records, coverage, given, sampling.seed, resamples),
    )


def _effects(problems: pd.DataFrame, models: Sequence[str], resamples: Resamples, sampling: Sampling) -> dict[str, Any]:
    pairs = metrics.differences(problems)
    return {
        "effects": paired.effects(pairs, models, resamples),
        "detectable": uncertainty.detectable_effects(pairs, models),
        "stratum_effects": strata.stratum_effects(pairs, models, sampling.seed, sampling.draws),
    }


def _agreement(problems: pd.DataFrame, models: Sequence[str], resamples: Resamples) -> dict[str, Any]:
    compared = _compared(problems, models)
    correlations = agreement.rank_correlations(problems, compared)
    each_with_each = problems if len(models) <= metrics.CROWD else problems.iloc[:0]
    return {
        "compared": compared,
        "same_winner": agreement.same_winner(problems, compared),
        "transitions": agreement.transitions(problems, compared),
        "correlations": correlations,
        "rank_agreement": agreement.rank_agreement(correlations, resamples),
        "win_rates": agreement.win_rates(each_with_each),
        "model_correlations": agreement.model_correlations(each_with_each),
    }


def _compared(problems: pd.DataFrame, models: Sequence[str]) -> tuple[str, ...]:
    """Models with a valuation in both ecologies; a single one has nobody to be compared with."""
    found = metrics.contenders(problems, models, BOTH)
    return tuple(found) if len(found) > 1 or len(models) == 1 else ()


def _audit(records: Records, played: pd.DataFrame, planned: Sequence[PlannedTrajectory]) -> dict[str, Any]:
    counts = interventions.counts(records.events, entered(planned))
    rates = interventions.per_trajectory(records.events, played)
    pooled = interventions.per_trajectory(records.events, played, by=())
    return {
        "counts": counts,
        "shares": interventions.shares(counts),
        "rates": rates,
        "operational": pyramid.reliability(interventions.operational_rates(rates)),
        "operational_pooled": pyramid.reliability(interventions.operational_rates(pooled)),
        "pyramid": pyramid.pyramid(records.rounds, records.events, played),
    }


def _order(problems: pd.DataFrame, models: Sequence[str], resamples: Resamples) -> dict[str, Any]:
    standings = uncertainty.standings(problems, models, resamples)
    differences = uncertainty.model_differences(problems, resamples, standings)
    tie_groups = uncertainty.tie_groups(differences, standings)
    return {"differences": differences, "standings": standings, "tie_groups": tie_groups}
