"""What may never be in one run's records: pure checks, each of which lists the contradictions that it finds."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.load import Records
from erpsim.problem import STRATA

TRAJECTORY: Final = ("ecology", "lineup", "problem_id", "trial", "seat")
"""Columns that find one model's trajectory. In Solo a rule's firm shares them with those of the other markets."""

HALF_CENT: Final = 0.005
"""How far two tables may write one valuation apart."""

FIRM: Final = ("market_id", "seat")
"""Columns that find one firm, a rule's included."""

ONE_OF_EACH: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("problem_id", ("seed", "stratum", "scenario")),
    ("market_id", ("ecology", "lineup", "problem_id", "trial")),
)
"""Identifiers, and the columns that may have only one value for each of them."""


def contradictions(records: Records) -> list[str]:
    """List every contradiction of a run's records, as one sentence each; empty when there is none."""
    return [
        *repeated(records.outcomes, TRAJECTORY, "outcomes"),
        *repeated(records.rounds, (*FIRM, "round"), "rounds"),
        *mixed_sources(records.rounds, "rounds"),
        *mixed_sources(records.outcomes, "outcomes"),
        *mixed_tables(records),
        *broken_rounds(records),
        *other_terminal_values(records),
        *infinite_values(records),
        *unknown_strata(records.rounds),
    ]


def repeated(frame: pd.DataFrame, key: tuple[str, ...], table: str) -> list[str]:
    """Rows of a table that share their key with an earlier row."""
    again = frame[frame.duplicated(list(key))]
    return [
        f"{table} holds {_place(key, row)} more than once"
        for row in again[list(key)].drop_duplicates().itertuples(index=False, name=None)
    ]


def mixed_sources(frame: pd.DataFrame, table: str) -> list[str]:
    """Runs, versions of the rules, seeds and markets that do not belong together in one table."""
    faults = [
        f"{table} mixes {column} {_listed(frame[column])}"
        for column in ("run_id", "rules_version")
        if frame[column].nunique(dropna=False) > 1
    ]
    for identifier, columns in ONE_OF_EACH:
        for column in columns:
            numbers = frame.groupby(identifier)[column].nunique(dropna=False)
            faults += [
                f"{table}: {identifier} {name} has more than one {column}: {_listed(frame[column][mine])}"
                for name in numbers[numbers > 1].index
                for mine in (frame[identifier] == name,)
            ]
    return faults


def mixed_tables(records: Records) -> list[str]:
    """Runs and rules versions of outcomes and events that the rounds do not have."""
    faults = []
    for table, frame in (("outcomes", records.outcomes), ("events", records.events)):
        for column in ("run_id", "rules_version"):
            strange = set(frame[column].unique()) - set(records.rounds[column].unique())
            # A run whose every market was given up before its first round has events and no rounds.
            if strange and len(records.rounds):
                faults.append(f"{table} has {column} {', '.join(sorted(map(str, strange)))}, rounds has not")
    return faults


def broken_rounds(records: Records) -> list[str]:
    """Finished trajectories whose rounds are not 1, 2, … n."""
    found = records.rounds.groupby(list(FIRM))["round"].agg(["size", "min", "max", "nunique"])
    outcomes = records.outcomes.drop_duplicates(list(FIRM)).set_index(list(FIRM))["n_rounds"]
    joined = found.reindex(outcomes.index)
    wrong = (joined["nunique"] != outcomes) | (joined["min"] != 1) | (joined["max"] != outcomes)
    return [
        f"{_place(FIRM, key)}{_played_by(records, key)} has an outcome after {outcomes[key]} rounds and"
        f" {0 if pd.isna(joined['nunique'][key]) else int(joined['nunique'][key])} of them in rounds"
        for key in outcomes.index[wrong]
    ]


def _played_by(records: Records, key: tuple[str, int]) -> str:
    mine = (records.outcomes["market_id"] == key[0]) & (records.outcomes["seat"] == key[1])
    return f" ({records.outcomes['model'][mine].iloc[0]})"


def other_terminal_values(records: Records) -> list[str]:
    """Outcomes whose valuation is not that of the trajectory's last round, to the cent."""
    last = records.rounds.sort_values("round").drop_duplicates(list(FIRM), keep="last")
    joined = records.outcomes.merge(last[[*FIRM, "valuation"]], on=list(FIRM), suffixes=("", "_last"))
    both_missing = joined["valuation"].isna() & joined["valuation_last"].isna()
    gap = (joined["valuation"] - joined["valuation_last"]).abs()
    near = (gap <= HALF_CENT) | (joined["valuation"] == joined["valuation_last"])
    wrong = joined[~near & ~both_missing]
    columns = [*FIRM, "valuation", "valuation_last"]
    return [
        f"{_place(FIRM, row)} ends at {row[-2]} in outcomes and at {row[-1]} in rounds"
        for row in wrong[columns].itertuples(index=False, name=None)
    ]


def infinite_values(records: Records) -> list[str]:
    """Valuations that are infinite: a missing one is empty, no firm is worth infinitely much."""
    faults = []
    for table, frame in (("outcomes", records.outcomes), ("rounds", records.rounds)):
        endless = frame[np.isinf(frame["valuation"].to_numpy(dtype=np.float64))]
        places = endless[list(FIRM)].drop_duplicates().itertuples(index=False, name=None)
        faults += [f"{table} has an infinite valuation in {_place(FIRM, row)}" for row in places]
    return faults


def unknown_strata(rounds: pd.DataFrame) -> list[str]:
    """Strata that no problem can be of."""
    strange = sorted(set(map(str, rounds["stratum"].unique())) - set(STRATA))
    return [f"rounds has the stratum {name!r}; known are {', '.join(STRATA)}" for name in strange]


def _place(names: tuple[str, ...], values: tuple[object, ...]) -> str:
    """A key in words; an empty line-up, as in Solo and Arena, is left out."""
    pairs = zip(names, values, strict=False)
    plain = ("ecology", "market_id")
    return " ".join(str(value) if name in plain else f"{name} {value}" for name, value in pairs if value != "")


def _listed(values: pd.Series) -> str:
    return ", ".join(sorted(map(str, values.unique())))
