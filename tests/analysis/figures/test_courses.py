import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from analysis.figures.courses import PRICE, VALUATION, course
from tests.analysis.figures.frames import CAST, curves, lines, said


def _rows(ecology: str, model: str, measure: str, means: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "ecology": ecology,
            "lineup": "",
            "model": model,
            "round": range(1, len(means) + 1),
            "measure": measure,
            "mean": means,
            "low": [mean - 1.0 for mean in means],
            "high": [mean + 2.0 for mean in means],
            "n": 3,
        }
    )


BOTH = pd.concat(
    [
        _rows("arena", "model/a", "valuation_m", [1.0, 2.0]),
        _rows("solo", "model/a", "valuation_m", [3.0, 4.0]),
        _rows("solo", "model/b", "valuation_m", [5.0, 6.0]),
        _rows("solo", "", "valuation_m", [7.0, 8.0]),
    ]
)


def test_lines_carry_the_means_and_solo_comes_first() -> None:
    solo, arena = course(BOTH, VALUATION, CAST).axes
    assert (solo.get_title(loc="left"), arena.get_title(loc="left")) == ("Solo", "Arena")
    assert curves(solo) == [[7.0, 8.0], [3.0, 4.0], [5.0, 6.0]]
    assert curves(arena) == [[1.0, 2.0]]


def test_bars_reach_from_the_lower_to_the_upper_quartile() -> None:
    solo = course(BOTH, VALUATION, CAST).axes[0]
    bars = next(artist for artist in solo.collections if isinstance(artist, LineCollection))
    first = bars.get_segments()[0]
    assert [float(point[1]) for point in first] == [2.0, 5.0]


def test_points_of_a_round_stand_apart_and_around_it() -> None:
    solo = course(BOTH, VALUATION, CAST).axes[0]
    starts = [rounds[0] for rounds, _ in lines(solo)[1:]]
    assert starts == pytest.approx([0.75, 1.25])


def test_rule_firms_and_missing_models_are_explained() -> None:
    text = said(course(BOTH, VALUATION, CAST))
    assert "Grey, dotted: mean of the rule firms." in text
    assert "Without data: model/b † (Arena)." in text
    assert "(problems: 3)" in text


def test_prices_stand_above_their_index_and_a_missing_index_is_said() -> None:
    figure = course(_rows("solo", "model/a", "price", [5.0, 6.0]), PRICE, CAST)
    upper, lower = figure.axes
    assert upper.get_ylabel() == "Price (EUR/unit sold)"
    assert curves(upper) == [[5.0, 6.0]]
    assert [text.get_text() for text in lower.texts] == ["no data"]
    assert "model/a (Solo price index); model/b † (Solo price, Solo price index)." in said(figure)


def test_without_rows_or_with_rule_firms_alone_the_figure_says_so() -> None:
    for frame in (BOTH.iloc[:0], BOTH[BOTH["model"] == ""]):
        assert "Not drawn: no completed trajectory" in said(course(frame, VALUATION, CAST))
