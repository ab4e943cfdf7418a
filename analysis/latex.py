"""A table as LaTeX: one `table` with plain rules, that any document class sets without a package."""

from __future__ import annotations

from typing import Final

from analysis.tables import Table, cell_text, printable

SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "Δ": r"$\Delta$",
    "–": "--",
    "≥": r"$\geq$",
    "×": r"$\times$",
}
"""What LaTeX would read as a command, and symbols that a plain font lacks."""


def latex(table: Table) -> str:
    """Write a table as a floating `table` with caption and label; its notes follow in small print."""
    lines = [
        r"\begin{table}",
        rf"\caption{{{inert_latex(table.title)}}}",
        rf"\label{{tab:{inert_label(table.name)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in table.columns)}}}",
        r"\hline",
        _row([inert_latex(column.title) for column in table.columns]),
        r"\hline",
        *(_row([inert_latex(cell_text(*pair)) for pair in zip(table.columns, row, strict=True)]) for row in table.rows),
        r"\hline",
        r"\end{tabular}",
        *(rf"\par\footnotesize {inert_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def inert_latex(text: str) -> str:
    r"""Escape what LaTeX would read as a command, and what no printer prints.

    >>> inert_latex("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return "".join(SPECIAL.get(character, character) for character in printable(text))


def inert_label(text: str) -> str:
    """Keep letters, digits and hyphens of a name; anything else becomes a hyphen."""
    return "".join(character if character.isascii() and character.isalnum() else "-" for character in text)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
