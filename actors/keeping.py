"""What a firm actor keeps of a finished round: no more than its firms look at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ecologies.policy import PolicySpec
from erpsim.offer import MarketReport, Sales
from erpsim.state import NOTHING_ASKED, FirmState
from erpsim.units import frozen


def with_own_reports(sales: Sequence[Sales]) -> tuple[Sales, ...]:
    """Sales of one message with copies of their reports: a firm keeps its report, whose arrays would keep the message.

    What the reports of one market share, their copies share too.
    """
    copies: dict[int, npt.NDArray[Any]] = {}
    return tuple(replace(sold, report=_copied(sold.report, copies)) for sold in sales)


def _copied(report: MarketReport, copies: dict[int, npt.NDArray[Any]]) -> MarketReport:
    """A report of copies, each made once; `copies` holds them by the identity of what they are copies of."""
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            if id(value) not in copies:
                copies[id(value)] = frozen(value.copy())
            values[name] = copies[id(value)]
    return MarketReport(**values)


def as_remembered(state: FirmState, spec: PolicySpec) -> FirmState:
    """A firm's state without what its policy never asks for again: a rule does not look at what it once decided."""
    if spec.kind != "rule":
        return state
    history = (
        past if past.decision is NOTHING_ASKED else replace(past, decision=NOTHING_ASKED) for past in state.history
    )
    return replace(state, history=tuple(history))
