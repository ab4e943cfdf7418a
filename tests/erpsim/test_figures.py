from erpsim.figures import ratio, rounded, whole_euros


def test_a_figure_without_decimals_is_an_int() -> None:
    assert rounded(2.0004, 2) == 2
    assert isinstance(rounded(2.0004, 2), int)
    assert rounded(2.126, 2) == 2.13


def test_what_is_not_finite_is_unknown() -> None:
    assert rounded(float("nan"), 2) is None
    assert rounded(float("inf"), 2) is None


def test_a_ratio_to_nothing_is_unknown() -> None:
    assert ratio(1, 0, 2) is None
    assert ratio(1, 8, 2) == 0.12


def test_cents_are_shown_as_whole_euros() -> None:
    assert whole_euros(123_456_78) == 123_457
