"""Where the time of a run went so far, by its journal: the waiting of all firms and markets, added up by part."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from actors.entries import read_timings
from actors.journal import Journal
from actors.run_file import JOURNAL_NAME


def time_split(folder: Path) -> dict[str, float]:
    """Seconds by part of the committed rounds of a run folder; empty before the first one.

    The parts are the columns of the table `timings`. Many wait at the same time, so that they add up to more than the
    run took by the clock.

    Raises:
        RunError: the journal cannot be read.
    """
    if not (folder / JOURNAL_NAME).exists():
        return {}
    total: Counter[str] = Counter()
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    try:
        for row in read_timings(journal.rows("timings")):
            total.update({name.removesuffix("_s"): value for name, value in row.items() if name.endswith("_s")})
    finally:
        journal.close()
    return dict(total)
