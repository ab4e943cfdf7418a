"""Whole small runs as records, from arrays of valuations, so that every statistic can be taken from them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analysis.bootstrap import DRAWS
from analysis.coverage import cover
from analysis.findings import Findings, Sampling, findings
from erpsim.records import EventRow, OutcomeRow
from tests.analysis import samples
from tests.analysis.panels import STRATA, Valuations, names


def outcomes(solo: Valuations, arena: Valuations, models: Sequence[str] = ()) -> list[OutcomeRow]:
    """Outcomes of both ecologies; a NaN is a trajectory that did not come to its end."""
    rows = []
    for ecology, table in (("solo", solo), ("arena", arena)):
        values = np.asarray(table, dtype=np.float64)
        for problem, line in enumerate(values):
            for seat, (label, value) in enumerate(zip(models or names(values.shape[1]), line, strict=True)):
                row = samples.outcome(ecology, f"P{problem:03d}", label, value * 1e6, seat)
                rows.append(replace(row, stratum=STRATA[problem % len(STRATA)]))
    return rows


def taken(rows: Sequence[OutcomeRow], events: Sequence[EventRow] = (), draws: int = DRAWS, seed: int = 1) -> Findings:
    """Every statistic of these outcomes; the plan holds them all, those with NaN are left out of the records."""
    plan = samples.planned(rows)
    records = samples.records([row for row in rows if not np.isnan(row.valuation)], events)
    return findings(records, plan, cover(records, plan), {"run_id": samples.RUN_ID}, Sampling(seed, draws))
