"""From records and a plan to a report: its tables, its Markdown page and its JSON figures.

Tables and figures come from the same frames. A stand-in is named as one wherever it appears.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import pandas as pd

from analysis import interventions, report_tables
from analysis.coverage import Coverage, PlannedTrajectory, cover
from analysis.load import Records
from analysis.measures import Measures, measure
from analysis.tables import Table, inert_markdown, markdown

STANDIN_PROVIDER: Final = "stand-in"
"""What the stand-in server names as the provider, the last part of a route."""


@dataclass(frozen=True)
class RunFacts:
    """What a report has to know of a run beside its records.

    Attributes:
        title: of the report.
        models: labels in seat order.
        planned: every trajectory of a model that the plan holds.
        standins: labels of the models that are stand-ins.
        certificate: facts that identify the run, such as its id and its digests.
    """

    title: str
    models: tuple[str, ...]
    planned: tuple[PlannedTrajectory, ...]
    standins: frozenset[str] = frozenset()
    certificate: Mapping[str, str | int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A report; `figures` holds what `report.json` says."""

    title: str
    coverage: Coverage
    tables: tuple[Table, ...]
    figures: Mapping[str, Any]


def build(records: Records, facts: RunFacts) -> Report:
    """Check the records, measure them and lay the measures out.

    Raises:
        RunError: the records contradict themselves or the plan.
    """
    coverage = cover(records, facts.planned)
    facts = replace(facts, standins=facts.standins | served_by_standins(records.rounds))
    measures = measure(records, facts.planned)
    labels = report_tables.Labels(facts.models, facts.standins)
    tables = report_tables.all_tables(measures, labels, coverage)
    return Report(facts.title, coverage, tables, figures(measures, facts, coverage))


def served_by_standins(rounds: pd.DataFrame) -> frozenset[str]:
    """Labels of the models of whom some reply came from a stand-in server, as the route of their rounds says."""
    served = rounds["route"].str.contains(f"|{STANDIN_PROVIDER}", regex=False) & rounds["model"].notna()
    return frozenset(rounds["model"][served.astype(bool)])


def figures(measures: Measures, facts: RunFacts, coverage: Coverage) -> dict[str, Any]:
    """Lay the measures out under the stable keys of `report.json`; an undefined figure is None."""
    summed = interventions.totals(measures.events)
    categories = summed.groupby("category", sort=False)["n"].sum()
    return {
        "models": {label: _model_figures(label, measures, label in facts.standins) for label in facts.models},
        "agreement": {
            "same_winner": measures.agreement.same_winner,
            "n_problems": measures.agreement.n_problems,
        },
        "interventions": {str(name): int(n) for name, n in categories.items()},
        "coverage": _coverage_figures(coverage),
        "certificate": dict(facts.certificate) | {"rules_version": coverage.rules_version},
    }


def report_markdown(report: Report) -> str:
    """Write a report as one Markdown page."""
    return "\n".join([f"# {inert_markdown(report.title)}\n", *(markdown(table) for table in report.tables)])


def report_json(report: Report) -> str:
    """Write a report's figures as strict JSON."""
    return json.dumps(report.figures, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _model_figures(label: str, measures: Measures, standin: bool) -> dict[str, Any]:
    rows = measures.summary[measures.summary["model"] == label]
    delta = measures.deltas[measures.deltas["model"] == label]
    result: dict[str, Any] = {"standin": standin}
    for ecology in dict.fromkeys(name for name, _ in measures.settings):
        row = rows[rows["ecology"] == ecology]
        result[ecology] = {
            "mean_valuation_m": _only(row["valuation_m"]),
            "mean_rank": _only(row["rank"]),
            "n_problems": int(row["n"].sum()),
        }
    return result | {"delta_m": _only(delta["delta_m"]), "n_pairs": int(delta["n"].sum())}


def _only(values: pd.Series) -> float | None:
    """Give the one value of a selection; None when there is none or it is undefined."""
    if len(values) != 1 or not math.isfinite(values.iloc[0]):
        return None
    return float(values.iloc[0])


def _coverage_figures(coverage: Coverage) -> dict[str, Any]:
    missing: Sequence[dict[str, Any]] = [
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
