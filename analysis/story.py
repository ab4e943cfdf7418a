"""The sentences of a report, each made from the findings: what was found first, how sure it is second."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.material import Material, of_setting, setting_name
from analysis.metrics import CROWD
from analysis.order_tables import agreement_notes
from analysis.strata import ordered_strata


class KeyFigure(NamedTuple):
    """A figure for the head of the page, with the section that it comes from."""

    title: str
    value: str
    remark: str
    section: str


def key_figures(it: Material) -> tuple[KeyFigure, ...]:
    """Give the few figures that the report is about."""
    figures = [_leader_figure(it, setting) for setting in it.settings]
    same, n_problems = it.findings.same_winner
    if n_problems:
        figures.append(KeyFigure("Same winner in both", f"{same} of {n_problems}", "problems", "agreement"))
    ranks = it.findings.rank_agreement
    if not math.isnan(ranks.mean):
        interval = f"95 %: {ranks.interval.low:.3f} to {ranks.interval.high:.3f}"
        figures.append(KeyFigure("Rank correlation within problems", f"{ranks.mean:.3f}", interval, "agreement"))
    done = sum(part.trajectories_completed for part in it.coverage.parts)
    planned = sum(part.trajectories_planned for part in it.coverage.parts)
    figures.append(KeyFigure("Trajectories completed", f"{done:,} of {planned:,}", "", "coverage"))
    return tuple(figures)


def played(it: Material) -> tuple[str, ...]:
    """Say how complete the run is."""
    done = [
        f"{setting_name((part.ecology, part.lineup))}: {part.problems_complete:,} of {part.problems_planned:,} problems"
        " complete"
        for part in it.coverage.parts
    ]
    whole = f"{'; '.join(done)}."
    if it.coverage.complete:
        return (f"{whole} Nothing that was planned is missing.",)
    return (
        (
            f"{whole} {len(it.coverage.missing):,} trajectories are missing. They count as missing, never as 0; figures"
            " use what is complete and say how much that is, and a table below bounds what the missing could change."
        ),
    )


def performance(it: Material) -> tuple[str, ...]:
    """Say who leads each ecology and how sure that is."""
    return tuple(sentence for setting in it.settings if (sentence := _leader_sentence(it, setting)))


def effects(it: Material) -> tuple[str, ...]:
    """Say for which models the ecology makes a difference."""
    frame = it.findings.effects
    told = frame[frame["q"] <= 0.05]
    undefined = [it.shown(row["model"]) for row in frame.to_dict("records") if math.isnan(row["p"])]
    moves = [
        f"{it.shown(row['model'])} {row['delta_m']:+.3f} M EUR [{row['ci_low_m']:+.3f}, {row['ci_high_m']:+.3f}]"
        for row in told.to_dict("records")
    ]
    lines = [
        f"At q ≤ 0.05 the ecology changes the valuation of {len(told)} of {len(frame)} models"
        + (f": {_listed(moves, '; ')}." if moves else ".")
    ]
    flat = [it.shown(row["model"]) for row in frame.to_dict("records") if row["all_zero"]]
    lines += [f"Every difference is zero, so that p = 1 by rule: {_listed(flat)}."] if flat else []
    lines += [f"Without a pair, and so without a test: {_listed(undefined)}."] if undefined else []
    return tuple(lines)


def audit(it: Material) -> tuple[str, ...]:
    """Say which category is most frequent, and what it means."""
    shares = it.findings.shares.dropna(subset=["share"])
    failed = int(it.findings.shares.set_index("category")["n"].get("experiment_failed", 0))
    if not len(shares):
        return ("None of the paper's five displayed categories occurred.",)
    top = shares.sort_values(["share", "category"], ascending=[False, True]).iloc[0]
    return (
        (
            f"Of the paper's five displayed categories, {top['category']} is the most frequent: {int(top['n']):,}"
            f" events, {100 * top['share']:.1f} %. Run-level failures, outside that share: {failed:,}."
        ),
        (
            "An intervention is no error by itself: a capacity skip may be an ambitious plan in a small plant, while"
            " fallbacks and tracebacks speak of the path from text to decision."
        ),
    )


def agreement(it: Material) -> tuple[str, ...]:
    """Say how far Solo and Arena agree on single problems."""
    lines = list(agreement_notes(it))
    ranks = it.findings.rank_agreement
    if it.paired and not math.isnan(ranks.mean):
        lines.append(
            f"The mean rank correlation within problems is {ranks.mean:.3f} [{ranks.interval.low:.3f},"
            f" {ranks.interval.high:.3f}] over {ranks.n_defined} problems; it is undefined in {ranks.n_undefined}."
        )
    return tuple(lines)


def reliability(it: Material) -> tuple[str, ...]:
    """Say who is last most often in each ecology."""
    lines = []
    for setting in it.settings:
        frame = of_setting(it.findings.summary, setting).dropna(subset=["bottom_rate"])
        if len(frame) > 1:
            worst = frame.sort_values(["bottom_rate", "model"], ascending=[False, True]).iloc[0]
            lines.append(
                f"In {setting_name(setting)}, {it.shown(str(worst['model']))} is last most often: in"
                f" {100 * worst['bottom_rate']:.0f} % of its {int(worst['n'])} problems."
            )
    return tuple(lines)


def strata(it: Material) -> tuple[str, ...]:
    """Say what strata there are."""
    counts = it.problems.groupby("stratum")["problem_id"].nunique()
    names = ordered_strata(counts.index)
    return (
        ("Problems by stratum: " + ", ".join(f"{name} {int(counts[name])}" for name in names) + ".",) if names else ()
    )


def services(it: Material) -> tuple[str, ...]:
    """Say whether the same services answered in both ecologies."""
    check = it.findings.route_check
    if it.lacks("rounds.route") or not len(check):
        return ()
    other = [it.shown(str(name)) for name in check["model"][~check["same_routes"].astype(bool)]]
    if not other:
        return ("For every model the same services answered in Solo and in Arena.",)
    return (f"Other services answered in Solo than in Arena, or none is known, for: {', '.join(other)}.",)


def _leader_figure(it: Material, setting: tuple[str, str]) -> KeyFigure:
    frame = of_setting(it.findings.summary, setting).dropna(subset=["valuation_m"])
    title = f"Leads {setting_name(setting)}"
    if not len(frame):
        return KeyFigure(title, "–", "no valuation", "performance")
    top = frame[frame["valuation_m"] == frame["valuation_m"].max()].sort_values("model")
    names = " and ".join(it.shown(str(name)) for name in top["model"])
    remark = f"{top['valuation_m'].iloc[0]:,.3f} M EUR, mean rank {top['rank'].iloc[0]:.2f}"
    return KeyFigure(title, names, remark, "performance")


def _leader_sentence(it: Material, setting: tuple[str, str]) -> str:
    figure = _leader_figure(it, setting)
    if figure.value == "–":
        return ""
    groups = of_setting(it.findings.tie_groups, setting)
    standing = of_setting(it.findings.standings, setting).set_index("model")
    if len(groups) < 2:
        return f"{figure.title}: {figure.value} ({figure.remark}), the only model with a valuation."
    best = groups.iloc[0]
    tied = [it.shown(label) for label in _not_told_from(it, setting, str(best["model"]), groups["model"])]
    chance = float(standing["p_best"].get(best["model"], math.nan))
    sure = (
        f" It has the highest mean in {100 * chance:.0f} % of resamples of the problems."
        if not math.isnan(chance)
        else ""
    )
    rivals = f" Not told apart from it: {_listed(tied)}." if tied else " It is told apart from every other model."
    return f"{figure.title}: {figure.value} ({figure.remark}).{sure}{rivals}"


def _not_told_from(it: Material, setting: tuple[str, str], best: str, models: Iterable[str]) -> list[str]:
    """Those of the models whose difference from the best one may be nothing."""
    ours = of_setting(it.findings.differences, setting)
    near = ours[~ours["apart"].astype("bool")]
    pairs = {frozenset(pair) for pair in zip(near["model"], near["other"], strict=True)}
    return [label for label in map(str, models) if frozenset((best, label)) in pairs]


def _listed(names: Sequence[str], between: str = ", ") -> str:
    """Names in a sentence, the first ones of many."""
    rest = len(names) - CROWD
    return between.join(names[:CROWD]) + (f" and {rest:,} more" if rest > 0 else "")
