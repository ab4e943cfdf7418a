"""A model whose name is an attack, on every reader of a report at once."""

from dataclasses import replace

from analysis.source import Source
from tests.analysis.samples import event, failure, planned, records, two_by_two

NAME = (
    "=cmd|'/C calc'!A0<script>alert(1)</script>\"><img src=x onerror=alert(2)>[x](javascript:alert(3))"
    "\x1b[31m$x_1$\u202e"
)
CAUSE = "<b onclick=alert(4)>down</b>\n# Not a headline"


def source() -> Source:
    """Models a (the attack) and b; one trajectory is missing, for a cause that is an attack as well."""
    rows = [replace(row, model=NAME) if row.model == "a" else row for row in two_by_two()]
    left = [row for row in rows if row.market_id != "arena/P2"]
    made = records(left, [event("solo", NAME, "traceback")], [failure("arena/P2", CAUSE)])
    return Source(
        "run", f"ERPBench run {NAME}", made, planned(rows), frozenset({NAME}), {"run_id": NAME}, notes=(NAME,)
    )
