"""Which services answered for a model, and whether the same ones did in both ecologies.

A route is the model string, the fingerprint and the provider that a reply names, joined by "|"; a round that several
routes answered names them all, joined by ";". A change of route between ecologies is a rival explanation of an effect.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.metrics import SETTING

SEPARATOR: Final = ";"
UNKNOWN: Final = ""
"""Stands for the route of a round that no reply is known of."""


def routes(rounds: pd.DataFrame) -> pd.DataFrame:
    """Give one row per setting, model and route: the number of its rounds in which that route answered.

    Args:
        rounds: the table `rounds`; rules' rounds are left out.
    """
    ours = rounds[rounds["model"].notna()][[*SETTING, "model", "route"]]
    split = ours.assign(route=ours["route"].astype("object").fillna(UNKNOWN).str.split(SEPARATOR)).explode("route")
    return split.groupby([*SETTING, "model", "route"]).size().rename("rounds").reset_index()


def route_check(found: pd.DataFrame, base: str = "solo", other: str = "arena") -> pd.DataFrame:
    """Give one row per model that played both ecologies: same_routes, and the routes that only one ecology used.

    only_base and only_other list them, joined by ";". Unknown routes are compared with nothing and counted as
    unknown_rounds; a model without any known route in one ecology is not the same (same_routes is False).

    Args:
        found: rows of `routes`.
        base: one ecology.
        other: the other.
    """
    rows = []
    for model, ours in found.groupby("model"):
        if not {base, other} <= set(ours["ecology"]):
            continue
        known = ours[ours["route"] != UNKNOWN]
        one, two = (set(known["route"][known["ecology"] == name]) for name in (base, other))
        unknown = int(ours["rounds"][ours["route"] == UNKNOWN].sum())
        rows.append((model, bool(one) and one == two, _joined(one - two), _joined(two - one), unknown))
    return pd.DataFrame(rows, columns=["model", "same_routes", "only_base", "only_other", "unknown_rounds"])


def _joined(names: set[str]) -> str:
    return SEPARATOR.join(sorted(names))
