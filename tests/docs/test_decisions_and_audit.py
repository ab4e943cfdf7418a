"""The page on decisions lists every category of event as the code has it, and no code that nothing writes."""

import ast
import re
from typing import NamedTuple, get_args

from actors.llm.calls import CallClass
from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES
from erpsim.investments import KINDS
from erpsim.reading import Cause
from tests.architecture.checks import modules_of
from tests.docs.pages import DOCS

PAGE = DOCS / "explanation" / "decisions-and-audit.md"
_ROW = re.compile(r"^\| `(\w+)`( \*)? \| (\w+) \| (.*?) \|", re.MULTILINE)


class Row(NamedTuple):
    """One category as the page has it."""

    category: str
    of_the_paper: bool
    layer: str
    codes: tuple[str, ...]


def rows() -> list[Row]:
    """The table below the mark."""
    table = PAGE.read_text(encoding="utf-8").split("<!-- categories -->")[1].split("\n## ")[0]
    return [
        Row(name, bool(star), layer, tuple(re.findall(r"`(\w+)`", codes))) for name, star, layer, codes in _found(table)
    ]


def _found(table: str) -> list[tuple[str, str, str, str]]:
    return [(match[1], match[2] or "", match[3], match[4]) for match in _ROW.finditer(table)]


def _texts_in_the_code() -> set[str]:
    """Every string constant of the packages that make events."""
    modules = [*modules_of("erpsim"), *modules_of("actors")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules]
    constants = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str)}


def test_every_category_is_listed_with_its_layer_and_none_is_left_over() -> None:
    assert {row.category: row.layer for row in rows()} == {name: kind.layer for name, kind in EVENT_TYPES.items()}
    assert len(rows()) == len(EVENT_TYPES)


def test_the_papers_categories_are_marked() -> None:
    assert {row.category for row in rows() if row.of_the_paper} == set(PAPER_CATEGORIES)


def test_every_code_stands_in_the_code() -> None:
    known = _texts_in_the_code() | {f"unknown_{noun}" for noun in ("sku", "channel", "material", "vendor", "kind")}
    listed = {code for row in rows() for code in row.codes}
    assert len(listed) > 40
    assert listed - known == set()


def test_the_codes_that_a_type_lists_are_complete() -> None:
    codes = {row.category: set(row.codes) for row in rows()}
    assert codes["fallback_decision"] == {*get_args(Cause), "traceback", "infra"}
    # A content filter has read the conversation: the model is not asked again.
    assert codes["reask"] == {*get_args(Cause)} - {"content_filter"}
    assert codes["investment_unavailable"] == set(KINDS)
    assert codes["finance_adjusted"] == {"borrow", "repay", "dividend", *KINDS}


def test_failures_of_the_infrastructure_are_not_listed_as_a_models() -> None:
    listed = {code for row in rows() for code in row.codes}
    assert listed & set(get_args(CallClass)) == {"content_filter"}
