"""Every figure of the rules has a unit, a source and a value inside its sensible range."""

from dataclasses import fields
from itertools import accumulate

from erpsim.parameters import RULES, Rules


def test_every_figure_lies_in_its_range_and_names_unit_and_source() -> None:
    for figure in fields(Rules):
        value = getattr(RULES, figure.name)
        for number in value if isinstance(value, tuple) else (value,):
            assert figure.metadata["low"] <= number <= figure.metadata["high"], figure.name
        assert figure.metadata["unit"]
        assert figure.metadata["source"]


def test_setup_ladder_adds_up_to_the_published_totals() -> None:
    assert list(accumulate(RULES.setup_ladder)) == [50_000, 125_000, 250_000, 500_000, 1_250_000]
