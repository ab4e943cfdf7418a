from dataclasses import replace

import numpy as np
import pytest

from ecologies.hunt.genome import (
    FAMILIES,
    LENGTH,
    NEUTRAL,
    RAW_START,
    ROUNDS,
    RULE_GENES,
    SPANS,
    TILT,
    decode,
    encode,
    first_change,
)
from ecologies.rule_parameters import RULE_PARAMETERS, RuleParameters


@pytest.mark.parametrize("rule", RULE_PARAMETERS.values(), ids=RULE_PARAMETERS)
def test_each_rule_is_a_genome_that_lays_nothing_over_it(rule: RuleParameters) -> None:
    read = decode(encode(rule))
    for name in SPANS:
        assert getattr(read.rule, name) == pytest.approx(getattr(rule, name))
    assert read.rule.channel_tilt == pytest.approx(rule.channel_tilt)
    assert (read.raw == NEUTRAL).all()
    assert (read.sku == NEUTRAL).all()


def test_every_parameter_of_a_rule_is_free() -> None:
    fields = set(RuleParameters.__dataclass_fields__) - {"name", "channel_tilt"}
    assert set(SPANS) == fields


def test_the_ends_of_the_cube_are_the_ends_of_the_spans() -> None:
    low, high = decode(np.zeros(LENGTH)).rule, decode(np.ones(LENGTH)).rule
    assert (low.markup, high.markup) == (SPANS["markup"].low, SPANS["markup"].high)
    assert (low.channel_tilt[0], high.channel_tilt[2]) == (TILT.low, TILT.high)
    assert isinstance(high.capacity_steps, int)


def test_a_parameter_out_of_its_span_is_put_at_its_end() -> None:
    wide = replace(RULE_PARAMETERS["balanced"], closing_days=1_000.0)
    assert decode(encode(wide)).rule.closing_days == SPANS["closing_days"].high


def test_the_first_change_is_the_round_of_the_earliest_gene_that_differs() -> None:
    genome = encode(RULE_PARAMETERS["balanced"])
    assert first_change(genome, genome) == ROUNDS + 1
    for family, round_number in ((0, 6), (len(FAMILIES) - 1, 3)):
        moved = genome.copy()
        moved[RAW_START + family * ROUNDS + round_number - 1] = 0.9
        assert first_change(genome, moved) == round_number
    for place in (0, RULE_GENES):  # a parameter, a SKU's price
        moved = genome.copy()
        moved[place] = 0.9
        assert first_change(genome, moved) == 1
