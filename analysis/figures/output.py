"""Figures as text and files, the same bytes for the same figure: no dates, no random names."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from analysis.theme import themed

FORMATS: Final = ("svg", "pdf", "png")

_METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def svg(figure: Figure, name: str) -> str:
    """Write a figure as an `<svg>` element to stand inside a page: text stays text, its ids start with the name.

    Args:
        figure: one of `catalogue.draw`.
        name: unlike that of every other figure on the page; letters, digits, `_` and `-`.
    """
    text = _bytes(figure, "svg", name).decode()
    element = text[text.index("<svg") :]
    return _prefixed(element, name).strip() + "\n"


def write(figures: Mapping[str, Figure], folder: Path, formats: Sequence[str] = ("svg",)) -> tuple[Path, ...]:
    """Write each figure as NAME.FORMAT into a folder that is made if need be, and give the paths.

    Args:
        figures: by name.
        folder: where to.
        formats: of `FORMATS`.
    """
    unknown = sorted(set(formats).difference(FORMATS))
    if unknown:
        raise ValueError(f"figure formats {', '.join(unknown)} are unknown; choose from {', '.join(FORMATS)}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        for kind in formats:
            path = folder / f"{name}.{kind}"
            path.write_bytes(_bytes(figure, kind, name))
            paths.append(path)
    return tuple(paths)


def _bytes(figure: Figure, kind: str, name: str) -> bytes:
    stream = io.BytesIO()
    with themed(name):
        figure.savefig(stream, format=kind, metadata=_METADATA[kind])
    return stream.getvalue()


def _prefixed(element: str, name: str) -> str:
    """Make the ids of one element unlike those of the other figures on its page."""
    named = re.sub(r' id="([^"]*)"', rf' id="{name}-\1"', element)
    linked = re.sub(r'href="#([^"]*)"', rf'href="#{name}-\1"', named)
    return re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", linked)
