"""The calibration page: `bash scripts/calibrate` measures what is missing and writes it.

`--check` measures everything again into a folder of its own, says PASS or FAIL for each point on each panel, and ends
with 1 when one fails.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from ecologies.calibration.points import Measured, Point, points
from ecologies.calibration.remarks import PUBLISHED, lever_worths, mean_elasticities
from ecologies.panel_file import Panel
from ecologies.problems import read_panel, shipped_panel
from ecologies.yardsticks.store import DATA, read
from erpsim.parameters import RULES_VERSION
from erpsim.problem import STRATA as STRATUM_NAMES
from tests.docs import calibration_hardship, calibration_realism, calibration_reliability, calibration_sensitivity
from tests.docs.calibration_pictures import tornado
from tests.docs.calibration_run import (
    FULL,
    OTHER,
    OTHER_SEED,
    OTHER_SIZE,
    SEARCHED,
    measure,
    measure_strata,
    other_panel,
)
from tests.docs.calibration_text import FAILS, HEAD, MEANING, NO_WORD, STRATA
from tests.docs.pages import DOCS
from tests.docs.rules_text import table

PAGE: Final = DOCS / "calibration.md"
PICTURE: Final = DOCS / "calibration" / "tornado.svg"
SEEDS_FILE: Final = OTHER / "strata.json"
STRATA_POINT: Final = 4


def measured(panel: Panel, folder: Path) -> Measured:
    """What the files of a panel hold."""
    rows = {kind: tuple(read(folder / f"{kind}.jsonl", kind, panel).values()) for kind in _KINDS}
    return Measured(panel.name, rows["measured"], rows["played"], rows["response"], rows["plan"])


_KINDS: Final = ("measured", "played", "response", "plan")


def page() -> str:
    """The page, from the files that are committed."""
    panels = [measured(shipped_panel(), DATA), measured(other_panel(), OTHER)]
    judged = [points(panel) for panel in panels]
    head = HEAD.format(
        rules=RULES_VERSION, full=FULL, searched=SEARCHED, seed=OTHER_SEED, size=OTHER_SIZE,
        n_full=len(panels[0].full), n_other=len(panels[1].full),
    )  # fmt: skip
    parts = [head, _summary(judged), *_sections(judged), _levers(panels[0]), _elasticities(panels[0])]
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
    return "PASS" if point.passed else "**FAIL**"


def _sections(judged: list[tuple[Point, ...]]) -> list[str]:
    sections = []
    for number, (shipped, other) in enumerate(zip(*judged, strict=True), start=1):
        text = [f"## Point {number}", f"{shipped.title}. {MEANING[number]}"]
        text += [f"Shipped panel: {_verdict(shipped)}", table(shipped.head, shipped.rows)]
        text += [f"Seed {OTHER_SEED}: {_verdict(other)}", table(other.head, other.rows)]
        text += [STRATA, _further_panels()] if number == STRATA_POINT else []
        text += [] if shipped.passed and other.passed else [FAILS.get(number, NO_WORD)]
        sections.append("\n\n".join(text))
    return sections


def _further_panels() -> str:
    medians = json.loads(SEEDS_FILE.read_text(encoding="ascii"))["medians"]
    rows = [[f"seed {seed}", *(f"{ours[name] / 1e6:,.1f}" for name in STRATUM_NAMES)] for seed, ours in medians.items()]
    return table(["100 problems, median, M", *STRATUM_NAMES], rows)


def _levers(panel: Measured) -> str:
    rows = [
        [one.name, str(one.problems), str(one.pays), str(one.hurts), *(f"{amount / 1e6:+.2f}" for amount in one[4:])]
        for one in lever_worths(panel)
    ]
    head = ["lever", "problems", "pays", "hurts", "median, M", "worst, M", "best, M"]
    return "\n\n".join(["## Levers", MEANING[0], table(head, rows)])


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


def check(folder: Path, panels: list[tuple[Panel, Path]]) -> bool:
    """Measure panels again and say what each point comes to; whether all are met."""
    met = True
    for panel, below in panels:
        measure(panel, folder / below)
        for number, point in enumerate(points(measured(panel, folder / below)), start=1):
            sys.stdout.write(f"{'PASS' if point.passed else 'FAIL'} {panel.name} {number} {point.title}\n")
            met = met and point.passed
    return met


def main(arguments: list[str]) -> int:
    """Write the page, or check panels."""
    parser = argparse.ArgumentParser(prog="scripts/calibrate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="measure again, write nothing, end with 1 on a FAIL")
    parser.add_argument("--panel", type=Path, default=None, help="check this panel file instead of the page's two")
    asked = parser.parse_args(arguments)
    if asked.check or asked.panel is not None:
        both = [(shipped_panel(), Path("shipped")), (other_panel(), Path("other"))]
        panels = both if asked.panel is None else [(read_panel(asked.panel), Path("given"))]
        with tempfile.TemporaryDirectory() as folder:
            return 0 if check(Path(folder), panels) else 1
    measure(shipped_panel(), DATA)
    measure(other_panel(), OTHER)
    if not SEEDS_FILE.exists():
        measure_strata(SEEDS_FILE)
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
