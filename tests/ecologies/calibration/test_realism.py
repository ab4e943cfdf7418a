"""What the markets are like, against what the demand model says by hand."""

from __future__ import annotations

import pytest

from ecologies.calibration.realism import Realism, realism
from ecologies.problems import shipped_panel

CALM = shipped_panel().problems[0]
EXPONENTS = [CALM.market.sensitivity * b for b in (3.5, 3.0, 2.3)]


@pytest.fixture(scope="module")
def found() -> Realism:
    return realism(CALM)


def test_a_share_model_gives_everybody_alike(found: Realism) -> None:
    # b s for the rival's SKU and for the firm's own others; shares of a cell are a few percent at most.
    for own, rival, exponent in zip(found.own_others, found.rivals, EXPONENTS, strict=True):
        assert own == pytest.approx(rival, rel=0.1)
        assert 0 < rival < 0.05 * exponent


def test_lasting_advertising_does_more_than_a_round_s(found: Realism) -> None:
    # At most c, which is reached where spending is large beside the scale.
    for once, lasting, most in zip(found.advertising, found.advertising_lasting, (0.06, 0.10, 0.15), strict=True):
        assert 0 < once < lasting < most


def test_wishes_for_an_empty_shelf_are_shared_out(found: Realism) -> None:
    for own, others in zip(found.to_own, found.to_rivals, strict=True):
        assert 0 < own < others
        assert own + others < 1 - CALM.market.outside_share


def test_the_books_are_shares_and_rates(found: Realism) -> None:
    books = found.books
    assert 0 < books.net_margin < books.gross_margin < 1
    assert 0 < books.unmet < 1
    assert books.turns > 0
    assert len(books.carbon) == 3
