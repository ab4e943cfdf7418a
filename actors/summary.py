"""How a play of a run ended, in figures and in lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from actors.budget import is_spent, spent_line
from actors.entries import read_row
from actors.journal import Journal
from actors.llm.calls import CallClass
from actors.progress import Progress
from actors.run_file import JOURNAL_NAME
from ecologies.models import Models


@dataclass(frozen=True)
class Summary:
    """How a play of a run ended.

    Attributes:
        complete: every market of the plan is played to its end.
        interrupted: a signal ended the play; `erpbench resume` goes on.
        failures: one line for each market that was given up, but for those that wait for a quota.
        stops: one line for each thing that stopped calls in this play: a budget or a quota that is spent.
        standin_replies: replies that the stand-in server counted in this play; None without one.
    """

    run_id: str
    folder: Path
    progress: Progress
    complete: bool
    interrupted: bool = False
    failures: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    standin_replies: int | None = None


def failure_lines(folder: Path) -> tuple[str, ...]:
    """Say of each market that was given up why, but of those that wait for a quota."""
    journal = Journal(folder / JOURNAL_NAME, writable=False)
    try:
        lost = journal.lost()
        rows = [read_row(stored) for stored in journal.rows("lost")]
    finally:
        journal.close()
    return tuple(
        f"{row['market_id']}, round {row['round']}{_whose(row)}: {row['code']}: {row['cause']}"
        for row in rows
        if row["market_id"] in lost and row["code"] != "quota"
    )


def _whose(row: Mapping[str, Any]) -> str:
    """The model that could not be reached; any other failure is a market's."""
    return f", {row['model']}" if row["model"] and row["code"] in get_args(CallClass) else ""


def stop_lines(models: Models, progress: Progress) -> tuple[str, ...]:
    """Say what stopped calls in this play."""
    budget_usd = progress.budget_usd
    spent = budget_usd is not None and is_spent(progress.reckoned_usd, budget_usd)
    money = (
        () if budget_usd is None or not spent else (f"{spent_line(progress, budget_usd)}; no further call was made",)
    )
    accounts: dict[str, list[str]] = {}
    for label in progress.quota_spent:
        accounts.setdefault(models.entry(label).account_name, []).append(label)
    return (
        *money,
        *(
            f"the quota of account {account!r} is spent, met by {', '.join(labels)}: none of its models was called"
            " any more, and their markets wait; fill it up, and go on"
            for account, labels in accounts.items()
        ),
    )
