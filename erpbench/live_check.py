"""`erpbench models check --live`: one real decision of each model of a file, and a table of what came of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from analysis.tables import Cell, Column, Table, text_column
from erpbench.terminal import counted, output, show

if TYPE_CHECKING:
    from actors.preflight import Checked
    from ecologies.models import Models

UNKNOWN = "unknown"
ANSWERED = 200
"""HTTP status of an answer, which no server gives without having looked at the key."""


def print_live_check(models: Models, proxies: bool) -> None:
    """Ask every model for the first decision of the first problem, all at once, and print a table.

    Raises:
        ProviderError: a model's server refuses to work; after the table.
    """
    import asyncio

    from actors.llm.keys import Keys
    from actors.preflight import Circumstances, check, require_usable, views
    from ecologies.problems import shipped_panel
    from ecologies.work import WorkRequest, plan_work

    request = WorkRequest(shipped_panel().problems[:1], models.specs, ("solo",))
    names = [entry.api_key_env for entry in models.entries if entry.api_key_env]
    around = Circumstances(
        keys=Keys({name: os.environ.get(name, "") for name in names}),
        proxies=dict(os.environ) if proxies else {},
        patient=True,
    )
    checked = asyncio.run(check(models.entries, views(plan_work(request).units, models.entries), around))
    show(output(), live_table(checked))
    require_usable(checked)


def live_table(checked: tuple[Checked, ...]) -> Table:
    """One row for each model; warnings stand below."""
    names = ("Model", "Key", "Found", "Tool calls", "Decision")
    columns = (
        *(text_column(name) for name in names),
        *(Column(name) for name in ("Calls", "Tokens in", "Tokens out")),
        Column("Seconds", 1),
        Column("Cost (USD)", 4),
        text_column("Learnt"),
    )
    notes = tuple(f"{one.entry.label}: {warning}" for one in checked for warning in one.warnings)
    title = f"One decision of {counted(len(checked), 'model')}"
    return Table("live", title, columns, tuple(_row(one) for one in checked), notes)


def _row(one: Checked) -> tuple[Cell, ...]:
    usage, asked = one.usage, one.proposal is not None
    return (
        one.entry.label,
        _key(one),
        _found(one),
        str(usage.tool_calls) if asked else None,
        _decision(one),
        usage.llm_calls if asked else None,
        _counted(usage.tokens_in) if asked else None,
        _counted(usage.tokens_out) if asked else None,
        one.seconds,
        (UNKNOWN if usage.cost_usd is None else usage.cost_usd) if asked else None,
        one.switches or "nothing",
    )


def _key(one: Checked) -> str | None:
    """What is known of the key; nothing where no reply came, as servers may look at other things first."""
    if one.failure is not None and one.failure.error_class == "auth":
        return "missing" if one.failure.attempts == 0 and not _is_set(one) else "refused"
    if one.entry.api_key_env is None:
        return "none needed"
    return "good" if one.failure is None or one.failure.status == ANSWERED else None


def _is_set(one: Checked) -> bool:
    return bool(os.environ.get(one.entry.api_key_env or "", "").strip())


def _found(one: Checked) -> Cell:
    """Whether its server knows the model; None where that cannot be told."""
    if one.failure is None or one.failure.error_class in ("context_overflow", "bad_request"):
        return "yes"
    return "no" if one.failure.error_class == "model_not_found" else None


def _decision(one: Checked) -> str:
    if one.failure is not None:
        return one.failure.error_class
    return "none" if one.proposal is None or one.proposal.decision is None else one.proposal.status


def _counted(tokens: int | None) -> Cell:
    return UNKNOWN if tokens is None else tokens
