import re
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from analysis.figures.aggregate import aggregate
from analysis.figures.output import FORMATS, svg, write
from analysis.theme import Cast, themed
from tests.analysis.figures.frames import summary

ODD = Cast(("_hidden", '$x^2$ & <b>"q"</b>'))


def _figure(cast: Cast = ODD) -> Figure:
    frame = summary({("solo", model): (float(place), 1.0 + place, 3) for place, model in enumerate(cast.models)})
    with themed():
        return aggregate(frame, cast)


def test_the_same_figure_is_the_same_svg_whatever_the_readers_settings() -> None:
    first = svg(_figure(), "one")
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "other", "font.size": 20.0}):
        assert svg(_figure(), "one") == first
    figure = _figure()
    assert [svg(figure, "one"), svg(figure, "one")] == [first, first]


@pytest.mark.parametrize("kind", FORMATS)
def test_files_are_the_same_bytes_again(tmp_path: Path, kind: str) -> None:
    one, two = (write({"name": _figure()}, tmp_path / place, (kind,))[0] for place in "ab")
    assert one.read_bytes() == two.read_bytes()
    assert one.name == f"name.{kind}"


def test_svg_is_one_well_formed_element_whose_text_stays_text() -> None:
    text = svg(_figure(), "one")
    root = ET.fromstring(text)
    assert root.tag.endswith("}svg")
    words = " ".join(root.itertext())
    assert "Valuation (millions of EUR)" in words
    assert '$x^2$ & <b>"q"</b>' in words
    assert "_hidden" in words


def test_ids_carry_the_name_and_every_reference_leads_to_one() -> None:
    text = svg(_figure(), "one")
    ids = re.findall(r' id="([^"]*)"', text)
    links = re.findall(r'(?:href="|url\()#([^")]*)', text)
    assert ids
    assert links
    assert all(name.startswith("one-") for name in ids)
    assert len(ids) == len(set(ids))
    assert set(links) <= set(ids)


def test_svg_asks_for_nothing_from_elsewhere() -> None:
    text = svg(_figure(), "one")
    assert re.findall(r'(?:href|src)="(?!#)', text) == []
    assert "@import" not in text


def test_pdf_holds_its_fonts_as_fonts(tmp_path: Path) -> None:
    (path,) = write({"name": _figure()}, tmp_path, ("pdf",))
    assert b"/FontFile2" in path.read_bytes()
    assert b"/CreationDate" not in path.read_bytes()


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="gif are unknown; choose from svg, pdf, png"):
        write({"name": _figure()}, tmp_path / "new", ("svg", "gif"))
    assert not (tmp_path / "new").exists()
