import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from analysis import theme
from analysis.theme import (
    COLOURS,
    DASHES,
    FONT,
    LONGEST_LABEL,
    MARKERS,
    Cast,
    ink_on,
    plain,
    shades,
    themed,
    width_of,
    wrapped,
)

MANY = Cast(tuple(f"model/{number}" for number in range(30)))


def test_no_two_models_share_colour_and_marker() -> None:
    looks = [MANY.look(model) for model in MANY.models]
    assert len({(look.colour, look.marker) for look in looks}) == 30
    assert len({look.colour for look in looks[:12]}) == len({look.marker for look in looks[:12]}) == 12


def test_a_model_looks_the_same_whoever_stands_in() -> None:
    assert Cast(("a", "b")).look("b") == Cast(("a", "b"), frozenset("b")).look("b")
    assert Cast(("a", "b")).look("a") == (COLOURS[0], MARKERS[0], DASHES[0])


def test_the_first_six_colours_stay_apart_without_red_and_green() -> None:
    """Simulated by the luminance and the blue-yellow axis that a dichromat keeps."""
    kept = []
    for colour in COLOURS[:6]:
        red, green, blue = mpl.colors.to_rgb(colour)
        kept.append((0.299 * red + 0.587 * green + 0.114 * blue, blue - (red + green) / 2))
    distances = [
        abs(one[0] - two[0]) + abs(one[1] - two[1]) for place, one in enumerate(kept) for two in kept[place + 1 :]
    ]
    assert min(distances) > 0.1


def test_a_standin_carries_a_dagger_and_its_note() -> None:
    cast = Cast(("a", "b"), frozenset({"b"}))
    assert [cast.shown(model) for model in cast.models] == ["a", "b †"]
    assert cast.notes()[0].startswith("† Stand-in")
    assert Cast(("a",), frozenset({"b"})).notes() == ()


def test_long_names_are_shortened_apart_and_said_in_full() -> None:
    start, end = "family-with-a-very-long-name", "-preview-of-november-2026"
    cast = Cast((f"{start}-one{end}", f"{start}-two{end}", "short"))
    shown = [cast.shown(model) for model in cast.models]
    assert len(set(shown)) == 3
    assert max(map(len, shown)) == LONGEST_LABEL
    assert f"= {start}-two{end}" in cast.notes()[0]
    assert "short" not in cast.notes()[0]


@pytest.mark.parametrize(
    ("text", "shown"), [("a\n b\t", "a b"), ("通 7B", "□ 7B"), ("$x^2$", "$x^2$"), ("é−ρ†", "é−ρ†"), ("a\x00b", "a□b")]
)
def test_text_keeps_to_one_line_and_to_the_font(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_model_without_a_visible_name_gets_one() -> None:
    cast = Cast((" ", "\n"))
    assert [cast.shown(model) for model in cast.models] == ["(no name)", "(no name) (2)"]


def test_widths_add_up_and_scale() -> None:
    assert width_of("ab", 7.0) == pytest.approx(width_of("a", 7.0) + width_of("b", 7.0))
    assert width_of("abc", 14.0) == pytest.approx(2 * width_of("abc", 7.0))
    assert width_of("", 7.0) == 0.0


def test_a_width_is_the_same_whatever_was_drawn_before() -> None:
    before = width_of("w", 100.0)
    figure = Figure()
    figure.text(0.0, 0.0, "w", fontsize=3.0, family=FONT)
    figure.draw_without_rendering()
    theme._unit_width.cache_clear()
    assert width_of("w", 100.0) == before
    assert before == pytest.approx(81.8, abs=0.1)  # 1675 of the 2048 units of an em, in DejaVu Sans


def test_lines_hold_their_width_and_lose_no_word() -> None:
    text = "one two three four five six seven " + "x" * 60
    lines = wrapped(text, 8.0, 80.0)
    assert " ".join(lines) == text
    assert all(width_of(line, 8.0) <= 80.0 for line in lines[:-1])
    assert lines[-1] == "x" * 60


def test_shades_darken_steadily_so_that_grey_keeps_their_order() -> None:
    scale = shades()
    greys = [0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue, _ in map(scale, range(0, 256, 15))]
    assert greys == sorted(greys, reverse=True)
    assert ink_on(scale(0.0)) != ink_on(scale(1.0))


def test_the_theme_leaves_the_readers_settings_as_they_were() -> None:
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 31.0, "axes.grid": False}):
        with themed():
            assert mpl.rcParams["font.size"] == 8.0
        assert mpl.rcParams["font.size"] == 31.0
    assert dict(mpl.rcParams) == before


def test_figures_load_neither_pyplot_nor_a_window() -> None:
    code = "import sys, analysis.figures; print([name for name in sys.modules if 'pyplot' in name or 'tk' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
