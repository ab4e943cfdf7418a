import numpy as np
import pandas as pd

from analysis.figures.forest import effect_forest, strata
from tests.analysis.figures.frames import CAST, effects, lines, said

EFFECTS = effects({"model/b": (-17.58, -29.79, -5.36), "model/a": (94.54, 78.74, 110.40)}, 100)


def _stratum(name: str, values: dict[str, tuple[float, float, float]], n: int) -> pd.DataFrame:
    return effects(values, n)[["n", "model", "delta_m", "ci_low_m", "ci_high_m"]].assign(stratum=name)


def test_points_and_bars_carry_effects_and_intervals_in_the_order_of_the_cast() -> None:
    assert lines(effect_forest(EFFECTS, CAST).axes[0])[1:] == [
        ([78.74, 110.40], [0.0, 0.0]),
        ([94.54], [0.0]),
        ([-29.79, -5.36], [1.0, 1.0]),
        ([-17.58], [1.0]),
    ]


def test_the_table_beside_them_names_n_effect_interval_p_and_q() -> None:
    texts = [text.get_text() for text in effect_forest(EFFECTS, CAST).axes[1].texts]
    assert texts[:4] == ["n", "effect [95 % interval]", "p", "q"]
    assert texts[8:] == ["100", "−17.58 [−29.79, −5.36]", "0.250", "0.500"]


def test_the_note_names_the_test_and_the_size_of_its_family() -> None:
    text = said(effect_forest(EFFECTS, CAST))
    assert "Wilcoxon signed-rank test (exact)" in text
    assert "adjusted for 2 tests" in text


def test_a_tiny_p_is_written_with_its_power_of_ten() -> None:
    assert "1.3e−15" in said(effect_forest(EFFECTS.assign(q=1.28e-15), CAST))


def test_a_single_pair_has_a_point_and_no_bar() -> None:
    frame = effects({"model/a": (4.0, np.nan, np.nan), "model/b": (2.0, 1.0, 3.0)}, 1)
    figure = effect_forest(frame, CAST)
    assert lines(figure.axes[0])[1] == ([4.0], [0.0])
    assert "+4.00 [–]" in said(figure)


def test_a_model_without_pairs_is_named() -> None:
    figure = effect_forest(EFFECTS[EFFECTS["model"] == "model/a"], CAST)
    assert "Without data: model/b †." in said(figure)
    assert [text.get_text() for text in figure.axes[1].texts][8:] == ["0", "–", "–", "–"]


def test_strata_stand_in_the_panels_order_each_with_its_own_effects() -> None:
    frame = pd.concat(
        [
            _stratum("ours", {"model/a": (3.0, 2.0, 4.0), "model/b": (0.0, 0.0, 0.0)}, 2),
            _stratum("hard", {"model/a": (1.0, 0.0, 2.0), "model/b": (5.0, 4.0, 6.0)}, 15),
        ]
    )
    hard, ours = strata(frame, CAST).axes
    assert hard.get_title(loc="left") == "hard\nn = 15"
    assert ours.get_title(loc="left") == "ours\nn = 2"
    assert lines(hard)[2] == ([1.0], [0.0])
    assert lines(ours)[2] == ([3.0], [0.0])
    assert hard.get_xlim() == ours.get_xlim()


def test_many_strata_wrap_and_leave_no_empty_panel_visible() -> None:
    names = [f"stratum {number}" for number in range(5)]
    frame = pd.concat([_stratum(name, {"model/a": (1.0, 0.0, 2.0)}, 3) for name in names])
    figure = strata(frame, CAST)
    assert [axes.get_visible() for axes in figure.axes] == [True] * 5 + [False] * 3
    assert sum(axes.get_xlabel() == "Effect (M EUR)" for axes in figure.axes if axes.get_visible()) == 4
    assert "Without data: model/b † (stratum 0, stratum 1" in said(figure)


def test_without_pairs_both_figures_say_so() -> None:
    for figure in (effect_forest(effects({}), CAST), strata(_stratum("hard", {}, 0), CAST)):
        assert "Not drawn: no model has a valuation in both Solo and Arena" in said(figure)
