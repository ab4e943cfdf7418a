import pytest

from erpsim.catalogue import MATERIALS, SKUS
from erpsim.key_matching import match


@pytest.mark.parametrize("name", ["NUT-500", "nut-500", "Nut_500", "NUT 500", "nut500", "NUT–500", " nut-500 "])
def test_case_blanks_underscores_and_hyphens_are_overlooked(name: str) -> None:
    assert match(name, SKUS) == "NUT-500"


@pytest.mark.parametrize("name", ["", "NUT", "NUT-5000", "NUT/500", "ＮＵＴ-500", "MATERIAL"])
def test_anything_else_is_no_match(name: str) -> None:
    assert match(name, SKUS) is None


def test_title_case_with_a_blank_finds_a_material() -> None:
    assert match("Large Box", MATERIALS) == "large_box"
