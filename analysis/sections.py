"""The report in reading order, which is the paper's: sections with sentences, figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from analysis import audit_tables, order_tables, paper_tables, result_tables, running_tables, story, yardstick_tables
from analysis.material import STANDIN_NOTE, Material
from analysis.source import CALLS, EVENTS
from analysis.tables import Table


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        name: stable short name.
        title: headline.
        text: paragraphs before the figures.
        figures: names of figures, see `analysis.figures`.
        tables: after the figures.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def sections(it: Material) -> tuple[Section, ...]:
    """Give every section that has something to say."""
    made = [section for maker in _MAKERS if (section := maker(it)) is not None]
    notes = (it.coverage.statement(), *((STANDIN_NOTE,) if it.source.standins else ()))
    return tuple(
        replace(section, tables=tuple(replace(table, notes=(*table.notes, *notes)) for table in section.tables))
        for section in made
    )


def uncomputed(it: Material) -> tuple[str, ...]:
    """Say what could not be computed, and for want of what; empty when everything was."""
    told = [
        f"{what}: the source has no {name.replace('rounds.', 'column rounds.').replace('events.', 'column events.')}."
        for name, what in _LACKING.items()
        if it.lacks(name)
    ]
    if not it.paired:
        told.append("Effect of the ecology and agreement of Solo and Arena: they are not both there.")
    return tuple(told)


_LACKING: Final = {
    EVENTS: "Interventions, operational reliability, L1 and L2",
    "events.round": "L1 and the shares of rounds that were touched",
    "rounds.route": "Routes and their check",
    "rounds.llm_calls": "Calls",
    "rounds.tool_calls": "Tool calls",
    "rounds.tokens_in": "Tokens in",
    "rounds.tokens_out": "Tokens out",
    "rounds.cost_usd": "Cost",
    CALLS: "Failed attempts, tokens by kind and money for what was not used",
    "rounds.market_share": "Market-share paths",
    "rounds.price_mean": "Price paths",
}


def _played(it: Material) -> Section:
    tables = [result_tables.coverage_table(it)]
    if it.coverage.missing:
        tables += [result_tables.missing_table(it), order_tables.bounds_table(it)]
    return Section("coverage", "Coverage", story.played(it), (), tuple(tables))


def _performance(it: Material) -> Section:
    tables = [result_tables.results(it)]
    tables += [order_tables.standing_table(it, setting) for setting in it.settings]
    if it.played["entrant"].nunique() > it.played["model"].nunique():
        tables.append(result_tables.seats(it))
    return Section(
        "performance", "Valuation and rank in each ecology", story.performance(it), ("aggregate",), tuple(tables)
    )


def _effects(it: Material) -> Section | None:
    if not it.paired:
        return None
    tables = (result_tables.effects(it),)
    return Section("effects", "What the ecology does to each model", story.effects(it), ("effect_forest",), tables)


def _audit(it: Material) -> Section | None:
    if not it.audited:
        return None
    tables = (audit_tables.intervention_totals(it), audit_tables.operational_table(it))
    return Section("audit", "What had to be mended: the execution audit", story.audit(it), ("audit",), tables)


def _agreement(it: Material) -> Section:
    tables = [order_tables.winner_table(it)]
    if it.paired:
        tables.insert(0, order_tables.agreement_table(it))
        tables += [order_tables.transition_table(it)] if _narrow(it) else []
    figures = ("transitions",) if it.paired else ()
    return Section("agreement", "Task by task: winners and ranks", story.agreement(it), figures, tuple(tables))


def _reliability(it: Material) -> Section:
    tables = (result_tables.tails(it), audit_tables.pyramid_table(it))
    figures = ("reliability",) if it.audited else ()
    return Section("reliability", "Reliability beside the score", story.reliability(it), figures, tables)


def _strata(it: Material) -> Section:
    figures = ("strata",) if it.paired else ()
    tables = (result_tables.strata(it),)
    return Section("strata", "By stratum of problems", story.strata(it), figures, tables)


def _yardsticks(it: Material) -> Section | None:
    if it.source.yardsticks is None:
        return None
    table = yardstick_tables.reached_table(it, it.source.yardsticks)
    return Section("yardsticks", "Against what could have been reached", (), (), (table,))


def _courses(it: Material) -> Section:
    figures = ["valuation_paths"]
    figures += [] if it.lacks("rounds.market_share") else ["share_paths"]
    figures += [] if it.lacks("rounds.price_mean") else ["price_paths"]
    return Section("courses", "Round by round", ("Means over problems of each round's end.",), tuple(figures))


def _running(it: Material) -> Section | None:
    tables = [] if it.lacks("rounds.route") or not it.paired else [running_tables.route_table(it)]
    spent = running_tables.spending_table(it)
    tables += [spent] if spent.rows else []
    tables += [made for table in (running_tables.attempts_table, running_tables.time_table) if (made := table(it)).rows]
    return Section("services", "Services and cost", story.services(it), (), tuple(tables)) if tables else None


def _paper(it: Material) -> Section:
    tables = (paper_tables.figures_beside(it), paper_tables.places_beside(it), paper_tables.published_table())
    return Section("paper", "Beside the paper", (paper_tables.NO_TARGET,), (), tables)


def _details(it: Material) -> Section:
    return Section("details", "Tables behind the sections", (), (), tuple(_detail_tables(it)))


def _detail_tables(it: Material) -> Iterator[Table]:
    for setting in it.settings:
        if it.audited and _narrow(it):
            yield audit_tables.interventions_by_model(it, setting)
            yield audit_tables.rates_by_model(it, setting)
        yield order_tables.difference_table(it, setting)
        if _narrow(it):
            yield order_tables.win_rate_table(it, setting)


def _narrow(it: Material) -> bool:
    """Whether a table may have a column for each model."""
    return not it.crowded


_MAKERS: Final[tuple[Callable[[Material], Section | None], ...]] = (
    _played,
    _performance,
    _effects,
    _audit,
    _agreement,
    _reliability,
    _strata,
    _yardsticks,
    _courses,
    _running,
    _paper,
    _details,
)
