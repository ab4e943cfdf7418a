import pandas as pd
import pytest

from analysis.figures.canvas import blank, finish, nothing, setting_name, settings_in_order, span, without_data
from analysis.theme import WIDTH, Cast, themed
from tests.analysis.figures.frames import CAST, said


def _crowd(n: int) -> Cast:
    return Cast(tuple(f"family/model-number-{number}" for number in range(n)))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 12, 25])
def test_the_legend_names_every_model_once_beside_its_own_look_and_inside_the_figure(n: int) -> None:
    cast = _crowd(n)
    with themed():
        figure = blank(2.0)
        figure.add_subplot()
        finish(figure, cast, cast.models, ("A note.",))
        figure.draw_without_rendering()
        (legend,) = figure.legends
        named = {
            text.get_text(): handle.get_marker()  # type: ignore[union-attr]
            for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        }
        assert named == {cast.shown(model): cast.look(model).marker for model in cast.models}
        box = legend.get_window_extent()
        assert box.x0 >= 0.0
        assert box.x1 <= figure.bbox.x1
        assert box.y0 > figure.texts[0].get_window_extent().y1
        assert box.y1 < figure.axes[0].get_tightbbox().y0  # type: ignore[union-attr]


def test_notes_stay_inside_the_figure_and_below_the_panels() -> None:
    with themed():
        figure = blank(1.5)
        axes = figure.add_subplot()
        finish(figure, CAST, (), ("word " * 100, "The last."))
        figure.draw_without_rendering()
        box = figure.texts[0].get_window_extent()
        assert (box.x0 >= 0.0, box.y0 >= 0.0, box.x1 <= figure.bbox.x1) == (True, True, True)
        assert box.y1 < axes.get_tightbbox().y0  # type: ignore[union-attr]
    assert figure.get_figwidth() == WIDTH


def test_an_empty_note_takes_no_line() -> None:
    figures = [finish(blank(1.0), Cast(("a",)), (), notes) for notes in (("A.",), ("A.", "", ""))]
    assert figures[0].get_figheight() == figures[1].get_figheight()


def test_nothing_says_why() -> None:
    assert "Not drawn: no data." in said(nothing("no data.", CAST))


def test_settings_come_solo_arena_then_the_rest() -> None:
    frame = pd.DataFrame({"ecology": ["mixed", "arena", "solo", "arena"], "lineup": ["f00dfeed99", "", "", ""]})
    names = [setting_name(setting) for setting in settings_in_order(frame)]
    assert names == ["Solo", "Arena", "Mixed f00dfeed"]


def test_absent_values_are_gathered_by_model() -> None:
    pairs = [("model/a", "Solo"), ("model/b", ""), ("model/a", "Arena")]
    assert without_data(CAST, pairs) == "Without data: model/a (Solo, Arena); model/b †."
    assert without_data(CAST, []) == ""


@pytest.mark.parametrize(("numbers", "text"), [([3.0, 3.0], "3"), ([3.0, None, 1.0], "1 to 3"), ([], "0")])
def test_a_span_of_numbers_is_said_shortly(numbers: list[float | None], text: str) -> None:
    assert span(pd.Series(numbers, dtype="float64")) == text
