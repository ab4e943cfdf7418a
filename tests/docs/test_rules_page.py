"""The committed page of the rules and its pictures are what the code gives."""

import re

import pytest

from tests.docs.rules_page import FOLDER, files, page


@pytest.mark.parametrize("name", ["rules.md", "rules/demand.svg", "rules/goodwill.svg", "rules/risk.svg"])
def test_a_committed_file_is_what_the_code_gives(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == files()[name], "run `python -m tests.docs.rules_page` and read the difference"


def test_every_picture_and_formula_is_closed() -> None:
    text = page()
    assert len(re.findall(r"(?<!\$)\$(?!\$)", text)) % 2 == 0
    assert text.count("$$") % 2 == 0
    assert "[[" not in text
