"""The table of what could have been reached, and of conduct."""

from __future__ import annotations

from analysis import yardsticks
from analysis.material import Material, first, of_model, of_setting, setting_name
from analysis.tables import Column, Table, share_column, text_column
from analysis.yardsticks import Yardsticks

SHARES_NOTE = (
    "Shares are means over the n problems that have the yardstick: the best of the five rules in one seat against the"
    " five, the best response to the five that a search found, and a clairvoyant's plan against rivals that do not"
    " answer. All three are against rules; in Arena and Mixed the rivals are others."
)
CONDUCT_NOTE = (
    "Conduct is 0 at the prices of the Nash equilibrium between six firms on the round's mean day, capacity kept, and 1"
    " at those of their joint profit, over the rounds in which the two are at least 2 % of list apart. In the others"
    " capacity mostly binds, whoever owns it, and conduct cannot be told."
)


def reached_table(it: Material, given: Yardsticks) -> Table:
    """Valuations as shares of the yardsticks and conduct, for each model and setting."""
    columns = (
        text_column("Model"),
        text_column("Ecology"),
        *(
            column
            for name in ("best rule", "best response", "plan")
            for column in (share_column(f"of {name}"), Column("n"))
        ),
        Column("Price level (x list)", 3),
        Column("Nash", 3),
        Column("Cartel", 3),
        Column("Conduct", signed=True),
        text_column("Rounds"),
    )
    shares = yardsticks.reached(it.problems, given)
    prices = yardsticks.conduct(it.source.records.rounds, given)
    rows = []
    for setting in it.settings:
        for label in it.models:
            own = of_model(of_setting(shares, setting), label)
            asked = of_model(of_setting(prices, setting), label)
            reached = [first(own[f"{kind}_{name}"]) for name in ("rule", "response", "plan") for kind in ("of", "n")]
            counts = [int(value) if index % 2 and value is not None else value for index, value in enumerate(reached)]
            levels = [first(asked[name]) for name in ("level", "nash", "cartel", "conduct")]
            rounds = "/".join(str(int(first(asked[name]) or 0)) for name in ("rounds", "all_rounds"))
            rows.append((it.shown(label), setting_name(setting), *counts, *levels, rounds))
    return Table(
        "yardsticks",
        "Against solved and played yardsticks",
        columns,
        tuple(rows),
        (SHARES_NOTE, CONDUCT_NOTE),
        ("trajectories", "rounds"),
    )
