"""The look of every figure: one colour, marker and dash per model everywhere, one type, one way to name things.

Colours are told apart by readers with any colour vision (Okabe and Ito 2008; Tol 2021); markers and dashes say the same
thing again, so that a grey print loses nothing. Nothing here touches the state of pyplot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from matplotlib.ft2font import FT2Font

STANDIN_MARK: Final = " †"
STANDIN_NOTE: Final = (
    "† Stand-in: a seeded program behind a real HTTP server; its numbers say nothing about any language model."
)
FONT: Final = "DejaVu Sans"
"""Ships with matplotlib, so that nothing is fetched and text takes the same room everywhere."""

WIDTH: Final = 7.2
"""Of every figure in inches: the text width of a page."""

TEXT, SMALL = 8.0, 7.0
"""Sizes of type in points."""

INK, QUIET, RULE = "#1a1a1a", "#595959", "#d0d0d0"
LONGEST_LABEL: Final = 28
POINTS: Final = 72.0
"""To the inch."""

COLOURS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#000000",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#882255",
    "#999933",
    "#332288",
    "#888888",
    "#aa4499",
)
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p")
DASHES: Final[tuple[Dash, ...]] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))

_MEASURED: Final = 100.0
_NEVER_SET: Final = ("backend", "interactive", "toolbar", "timezone", "datapath", "tk.", "webagg.", "macosx.")
_UNKNOWN_CHARACTER: Final = "□"


Dash = Literal["-"] | tuple[float, tuple[float, ...]]
"""A line style: unbroken, or an offset and lengths on and off in points."""


class Look(NamedTuple):
    """How one model is drawn."""

    colour: str
    marker: str
    dash: Dash


@dataclass(frozen=True)
class Cast:
    """The models of a report, in the order that settles their looks, and which of them are stand-ins.

    Attributes:
        models: those that are drawn.
        standins: labels of stand-ins.
        of: number of all models, where only some of them are drawn; 0 where all are.
    """

    models: tuple[str, ...]
    standins: frozenset[str] = frozenset()
    of: int = 0
    _names: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Settle the names once, so that no two models are shortened to the same one."""
        object.__setattr__(self, "_names", _short_names(self.models))

    def look(self, model: str) -> Look:
        """Give a model's look; no two share one up to the 144th."""
        place = self.models.index(model)
        turn, colour = divmod(place, len(COLOURS))
        marker = MARKERS[(place + turn) % len(MARKERS)]
        return Look(COLOURS[colour], marker, DASHES[place % len(DASHES)])

    def shown(self, model: str) -> str:
        """Name a model: at most `LONGEST_LABEL` characters that the font has, a dagger behind a stand-in."""
        return self._names[model] + (STANDIN_MARK if model in self.standins else "")

    def notes(self) -> tuple[str, ...]:
        """What has to be said under a figure of these models: names in full where they are shortened, and stand-ins."""
        full = [f"{self._names[model]} = {plain(model)}" for model in self.models if self._names[model] != plain(model)]
        names: tuple[str, ...] = (f"Names in full: {'; '.join(full)}.",) if full else ()
        if self.of:
            half = len(self.models) // 2
            names += (f"Drawn are the {half} highest and {half} lowest of {self.of:,} models by mean valuation.",)
        return (*names, *((STANDIN_NOTE,) if self.standins.intersection(self.models) else ()))


@contextmanager
def themed(salt: str = "figure") -> Iterator[None]:
    """Draw or save under the theme, whatever the reader's own settings are; the salt settles the ids of an SVG."""
    settings: dict[Any, Any] = {
        key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith(_NEVER_SET)
    }
    with mpl.rc_context({**settings, **_settings(), "svg.hashsalt": salt}):
        yield


def shades() -> Colormap:
    """Give the scale of the heat maps: from white to a dark blue, steadily darker, so that it survives a grey print."""
    return LinearSegmentedColormap.from_list("shades", ["#ffffff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"])


def ink_on(colour: Any) -> str:
    """Give white or the dark ink, whichever is read better on a colour."""
    red, green, blue = to_rgb(colour)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else INK


def plain(text: str) -> str:
    """Write a text on one line with characters that the font has; any other becomes a box."""
    one_line = " ".join(text.split())
    known = _characters()
    return "".join(letter if ord(letter) in known else _UNKNOWN_CHARACTER for letter in one_line)


def width_of(text: str, size: float) -> float:
    """Measure a line of text in points."""
    return sum(_unit_width(letter) for letter in text) * size


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Break a text at its spaces into lines of at most a width in points; a longer word keeps a line of its own."""
    lines: list[str] = []
    for word in plain(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _short_names(models: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for model in models:
        whole = plain(model) or "(no name)"
        name = _shortened(whole)
        turn = 2
        while name in names.values():
            ending = f" ({turn})"
            name = _shortened(whole, LONGEST_LABEL - len(ending)) + ending
            turn += 1
        names[model] = name
    return names


def _shortened(name: str, longest: int = LONGEST_LABEL) -> str:
    if len(name) <= longest:
        return name
    head = (longest - 1) // 2
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


@lru_cache(maxsize=1)
def _characters() -> frozenset[int]:
    return frozenset(_font().get_charmap())


@lru_cache(maxsize=4096)
def _unit_width(letter: str) -> float:
    return float(_font().load_char(ord(letter)).linearHoriAdvance) / 65536 / _MEASURED


@lru_cache(maxsize=1)
def _font() -> FT2Font:
    """Open a font of our own: the one that renderers share has the size of whatever they drew last."""
    font = FT2Font(font_manager.findfont(font_manager.FontProperties(family=[FONT])))
    font.set_size(_MEASURED, POINTS)
    return font


def _settings() -> dict[Any, Any]:
    return {
        "font.family": [FONT],
        "font.size": TEXT,
        "text.parse_math": False,
        "text.hinting": "none",
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.labelsize": TEXT,
        "axes.titlesize": TEXT,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.edgecolor": QUIET,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": RULE,
        "grid.linewidth": 0.5,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "lines.linewidth": 1.3,
        "lines.markersize": 5.0,
        "legend.fontsize": SMALL,
        "legend.frameon": False,
        "figure.facecolor": "#ffffff",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "savefig.dpi": 200,
    }
