"""The calibration page: `bash scripts/calibrate` measures what is missing and writes it.

`--check` measures again what the points hang on, into a folder of its own, says PASS, FAIL or TOO FEW for each point on
each panel, and ends with 1 unless all pass. With `--folder` what was measured is kept, and a check that was stopped
goes on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from ecologies.calibration.points import Measured, Point, points
from ecologies.calibration.remarks import PUBLISHED, lever_worths, mean_elasticities
from ecologies.panel_file import Panel
from ecologies.problems import read_panel, shipped_panel
from ecologies.yardsticks.store import DATA, read
from erpsim.parameters import RULES_VERSION
from tests.docs import (
    calibration_hardship,
    calibration_realism,
    calibration_reliability,
    calibration_sensitivity,
    calibration_strata,
)
from tests.docs.calibration_pictures import tornado
from tests.docs.calibration_run import (
    FULL,
    JUDGED,
    MADE,
    OTHER,
    OTHER_SEED,
    OTHER_SIZE,
    OTHER_STYLED,
    SEARCHED,
    Subject,
    measure,
    other_panel,
)
from tests.docs.calibration_text import FAILS, HEAD, MEANING, NO_WORD
from tests.docs.pages import DOCS
from tests.docs.rules_text import table

PAGE: Final = DOCS / "calibration.md"
PICTURE: Final = DOCS / "calibration" / "tornado.svg"
STRATA_POINT: Final = 4
WIDTH: Final = 120
"""Characters of a line of text."""


def measured(panel: Panel, folder: Path) -> Measured:
    """What the files of a panel hold."""
    rows = {kind: tuple(read(folder / f"{kind}.jsonl", kind, panel).values()) for kind in MADE}
    return Measured(panel.name, rows["measured"], rows["played"], rows["response"], rows["plan"])


def page() -> str:
    """The page, from the files that are committed."""
    panels = [measured(shipped_panel(), DATA), measured(other_panel(), OTHER)]
    judged = [points(panel) for panel in panels]
    shipped, other = panels
    head = HEAD.format(
        rules=RULES_VERSION, full=FULL, searched=SEARCHED, seed=OTHER_SEED, size=OTHER_SIZE, styled=OTHER_STYLED,
        n_full=len(shipped.full), n_other=len(other.full),
        n_searched=len(shipped.response), n_searched_other=len(other.response),
    )  # fmt: skip
    head = "\n\n".join(fill(part, WIDTH) for part in head.split("\n\n"))
    parts = [head, _summary(judged), *_sections(judged), _levers(shipped), _elasticities(shipped)]
    parts += [calibration_realism.section(), calibration_sensitivity.section()]
    parts += [calibration_reliability.likeness_section(), calibration_reliability.section()]
    parts += [calibration_hardship.section()]
    return "\n\n".join(parts) + "\n"


def _summary(judged: list[tuple[Point, ...]]) -> str:
    rows = [
        [f"[{number}](#point-{number})", one.title, *(_verdict(points_[number - 1]) for points_ in judged)]
        for number, one in enumerate(judged[0], start=1)
    ]
    return table(["point", "what must be true", "shipped panel", f"seed {OTHER_SEED}"], rows, left=4)


def _verdict(point: Point) -> str:
    return "PASS" if _word(point) == "PASS" else f"**{_word(point)}**"


def _word(point: Point) -> str:
    return "TOO FEW" if point.lacks else "PASS" if point.passed else "FAIL"


def _sections(judged: list[tuple[Point, ...]]) -> list[str]:
    sections = []
    for number, (shipped, other) in enumerate(zip(*judged, strict=True), start=1):
        text = [f"## Point {number}", f"{shipped.title}. {MEANING[number]}"]
        text += [f"Shipped panel: {_verdict(shipped)}", table(shipped.head, shipped.rows)]
        text += [f"Seed {OTHER_SEED}: {_verdict(other)}", table(other.head, other.rows)]
        text += [calibration_strata.section()] if number == STRATA_POINT else []
        text += [] if shipped.passed and other.passed else [FAILS.get(number, NO_WORD)]
        sections.append("\n\n".join(text))
    return sections


def _levers(panel: Measured) -> str:
    rows = [
        [one.name, str(one.problems), str(one.pays), str(one.hurts), *(f"{amount / 1e6:+.2f}" for amount in one[4:])]
        for one in lever_worths(panel)
    ]
    head = ["lever", "problems", "pays", "hurts", "median, M", "worst, M", "best, M"]
    return "\n\n".join(["## Levers", MEANING[0], table(head, rows), MEANING[10]])


def _elasticities(panel: Measured) -> str:
    own = [[one.channel, f"{one.own:.2f}", f"{one.market:.2f}"] for one in mean_elasticities(panel)]
    published = [[one.what, one.figure, one.source] for one in PUBLISHED]
    return "\n\n".join(
        [
            "## Elasticities",
            MEANING[-1],
            table(["measured", "one firm raises one SKU", "all firms raise all SKUs"], own),
            table(["published", "figure", "source"], published),
        ]
    )


def check(subjects: Sequence[Subject]) -> bool:
    """Measure panels again and say what each point comes to; whether all are met."""
    met = True
    for subject in subjects:
        measure(subject, JUDGED)
        for number, point in enumerate(points(measured(subject.panel, subject.folder)), start=1):
            why = f": {point.lacks}" if point.lacks else ""
            sys.stdout.write(f"{_word(point)} {subject.panel.name} {number} {point.title}{why}\n")
            met = met and _word(point) == "PASS"
    return met


def subjects(shipped: Path, other: Path) -> tuple[Subject, Subject]:
    """The page's two panels, each with the folder of its files."""
    return Subject(shipped_panel(), shipped), Subject(other_panel(), other, OTHER_STYLED)


def _asked_for(path: Path | None, folder: Path) -> Sequence[Subject]:
    """What a check is of: a panel file, or the page's two panels."""
    return [Subject(read_panel(path), folder / "given")] if path else subjects(folder / "shipped", folder / "other")


def main(arguments: list[str]) -> int:
    """Write the page, or check panels."""
    parser = argparse.ArgumentParser(prog="scripts/calibrate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="measure again, write nothing, end with 1 on a FAIL")
    parser.add_argument("--panel", type=Path, default=None, help="check this panel file instead of the page's two")
    parser.add_argument("--folder", type=Path, default=None, help="keep what a check measures, and go on from there")
    asked = parser.parse_args(arguments)
    if asked.folder and not (asked.check or asked.panel):
        parser.error("--folder is of a check; name --check or --panel too")
    if asked.check or asked.panel is not None:
        with tempfile.TemporaryDirectory() as passing:
            return 0 if check(_asked_for(asked.panel, asked.folder or Path(passing))) else 1
    for subject in subjects(DATA, OTHER):
        measure(subject)
    calibration_realism.measure_realism(calibration_realism.PATH)
    calibration_sensitivity.measure_sensitivity(calibration_sensitivity.PATH)
    calibration_reliability.measure_reliability(calibration_reliability.PATH)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(tornado(calibration_sensitivity.moved()), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(DOCS.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
