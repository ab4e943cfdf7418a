"""Tables as LaTeX, and text that LaTeX cannot run."""

from analysis.latex import inert_label, inert_latex, latex
from analysis.report import build
from analysis.tables import Column, Table, share_column, text_column
from tests.analysis import hostile


def test_a_table_is_written_as_latex() -> None:
    columns = (text_column("Model"), Column("Δ (M EUR)", signed=True), share_column("Share"))
    table = Table("t_1", "A & B", columns, (("a_b", 1.5, 0.825), ("c", None, None)), ("50 %.",))
    assert latex(table).splitlines() == [
        r"\begin{table}",
        r"\caption{A \& B}",
        r"\label{tab:t-1}",
        r"\begin{tabular}{lrr}",
        r"\hline",
        r"Model & $\Delta$ (M EUR) & Share \\",
        r"\hline",
        r"a\_b & +1.50 & 82.5 \% \\",
        r"c & -- & -- \\",
        r"\hline",
        r"\end{tabular}",
        r"\par\footnotesize 50 \%.",
        r"\end{table}",
    ]


def test_commands_are_text() -> None:
    assert inert_latex(r"\input{x}$^") == r"\textbackslash{}input\{x\}\$\textasciicircum{}"
    assert inert_label("a}{b ü") == "a--b--"


def test_no_name_of_a_model_reaches_latex_as_it_is() -> None:
    for table in build(hostile.source()).tables:
        text = latex(table)
        assert hostile.NAME not in text
        assert "\x1b" not in text
        assert "$x_1$" not in text
