"""How figures and tables are written on the generated pages."""

from __future__ import annotations

from collections.abc import Sequence


def number(value: float) -> str:
    """A figure with thousands apart, and no more decimals than it has."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.10g}"


def trimmed(value: float) -> str:
    """A figure without the noise of binary fractions."""
    return f"{round(value, 9):g}"


def percent(fraction: float) -> str:
    """A fraction as percent."""
    return f"{trimmed(100 * fraction)} %"


def millions(amount: float) -> str:
    """EUR in millions."""
    return trimmed(amount / 1e6)


def euros(cents: int) -> str:
    """Cents as EUR with both decimals."""
    return f"{int(cents) / 100:,.2f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table whose first columns are text and whose others are numbers."""
    marks = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))
