"""Measures what the markets of the five rules are like, and shows it beside published figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any, Final

from ecologies.calibration.realism import realism
from ecologies.problems import select, shipped_panel
from ecologies.yardsticks.store import DATA
from erpsim.catalogue import CHANNELS
from tests.docs.calibration_stamp import fits, of_shipped_panel, where_from
from tests.docs.rules_text import table

PATH: Final = DATA / "realism.json"
PROBLEMS: Final = 17

Row = dict[str, Any]

WORDS: Final = """\
## Beside published figures

What {n} problems of the shipped panel show when the five rules play them: a mean, and the range over the problems.
Demand is that of round 3 with full shelves and one thing changed; the books are those of the whole game. The second
table has what is published about the same quantities, from the sources that the rules were made with. None of it was
fitted: where a figure lies elsewhere, it is said below and not mended."""

READING: Final = """\
How to read it:

- **Cross-price.** A share model gives every other cell b times the share of the cell that became dearer, whoever's it
  is. A cell has one or two per cent of its channel, in grocery less, so the effects lie below the published mean and
  median, which are of brands with larger shares. For a user: one rival's price cut hardly shows in a firm's own demand,
  and all rivals' cuts together do. Read pressure from rivals off their mean price; that a model did not answer a single
  rival is no fault of it, and a price war between two firms cannot be studied here.
- **Advertising** grows from hypermarkets to independents, as ERPsim's own words have it, and comes to a sixth to a
  little over a half of the published means. The same papers find less for everyday goods in mature markets. For a
  user: advertising is a small lever, which pays in small doses and not in large ones ([levers](#levers)). A model that
  spends what a textbook of consumer goods advises overspends here; its marketing says nothing about real markets.
- **An empty shelf.** What is not bought at all lies at the low end of what shoppers say. The own brand gains less and
  other firms gain more than that: the model knows no loyalty, and a firm's other SKUs get no more than their share.
- **Unserved wishes** are on average more than twice the share of items that shops lack: firms open without any stock,
  and capacity binds in almost half of the rules' rounds.
- **Margins.** Goods cost their materials only, labour and the plant being costs of the period as in ERPsim: read the
  gross margin beside ERPsim's, which is a little lower, and not beside Nevo's. The net margin has nothing beside it
  here; it is what the valuations of point 1 rest on.
- **Carbon.** Scope 1 is about twice what a real maker's operations emit, since ERPsim's kilograms for pick-ups
  and overstock are in it. Purchased food counts 0.35 kg a kg, after ERPsim's postings, where life-cycle data has four
  to five times that for growing muesli's ingredients. Carbon is a cost to decide on here, not a footprint."""

PUBLISHED: Final = (
    ("cross-price elasticity, all goods", "mean 0.26, median 0.10", "Auer and Papies (2019)"),
    ("advertising elasticity, short run, 751 estimates", "mean 0.12", "Sethuraman, Tellis and Briesch (2011)"),
    ("advertising elasticity, long run", "mean 0.24", "Sethuraman, Tellis and Briesch (2011)"),
    ("empty shelf: another item of the same brand", "13–22 %", "retail survey of four categories, GMA (2002)"),
    ("empty shelf: another brand in the shop", "17–25 %", "the same"),
    ("empty shelf: elsewhere, later or not at all", "55–67 %", "the same"),
    ("items out of stock, worldwide", "8.3 %", "quoted for 2008; one indirect source"),
    ("price-cost margin, cereals", "mean 36 %", "Nevo (2000)'s data, random coefficients, by pyblp"),
    ("gross margin in ERPsim, 1 kg", "60–70 %", "public exports and job aids"),
    ("carbon of muesli, to the consumer", "2.55 kg/kg", "AGRIBALYSE 3.1, ADEME"),
    ("of that: agriculture / processing / packaging / transport", "1.60 / 0.17 / 0.49 / 0.26 kg/kg", "the same"),
    ("cereal maker's own operations", "0.45–0.48 kg/kg", "Kellogg's reports for 2009–13, by edie"),
    ("carbon in ERPsim, all scopes", "about 0.9 kg a box", "recomputed from public exports"),
    ("stock turns, net margin", "–", "none in our sources"),
)


def measure_realism(path: Path) -> None:
    """Measure every problem, unless the file holds them already."""
    stamp = of_shipped_panel(PROBLEMS)
    if path.exists() and fits(json.loads(path.read_text(encoding="ascii")), stamp):
        return
    rows = {}
    for problem in select(shipped_panel().problems, str(PROBLEMS)):
        rows[problem.problem_id] = _rounded(asdict(realism(problem)))
        sys.stdout.write(f"realism {problem.problem_id}\n")
        sys.stdout.flush()
    path.write_text(json.dumps({**stamp, "rows": rows}, separators=(",", ":")) + "\n", "ascii")


def _rounded(figure: Any) -> Any:
    if isinstance(figure, dict):
        return {name: _rounded(one) for name, one in figure.items()}
    return [_rounded(one) for one in figure] if isinstance(figure, tuple) else round(figure, 4)


def section(path: Path = PATH) -> str:
    """The section of the calibration page."""
    found = json.loads(path.read_text(encoding="ascii"))
    rows = list(found["rows"].values())
    head = ["measured", *CHANNELS]
    by_channel = [
        [name, *(_spread(rows, _at(key, k), form) for k in range(len(CHANNELS)))] for name, key, form in _CHANNEL
    ]
    books = [[name, _spread(rows, read, form)] for name, read, form in _BOOKS]
    parts = [
        WORDS.format(n=len(rows)),
        *where_from(found),
        table(head, by_channel),
        table(["measured in the books", "all firms"], books),
    ]
    return "\n\n".join([*parts, table(["published", "figure", "source"], PUBLISHED, left=3), READING])


_CHANNEL: Final = (
    ("cross-price: a rival's same SKU", "rivals", "{:.3f}"),
    ("cross-price: the firm's other SKUs", "own_others", "{:.3f}"),
    ("advertising, this round's spending", "advertising", "{:.3f}"),
    ("advertising, lasting", "advertising_lasting", "{:.3f}"),
    ("empty shelf: the firm's other SKUs", "to_own", "{:.0%}"),
    ("empty shelf: other firms", "to_rivals", "{:.0%}"),
    ("empty shelf: nothing is bought", "", "{:.0%}"),
)


def _at(key: str, channel: int) -> Callable[[Row], float]:
    def read(row: Row) -> float:
        found: float = row[key][channel] if key else 1 - row["to_own"][channel] - row["to_rivals"][channel]
        return found

    return read


_BOOKS: Final[tuple[tuple[str, Callable[[Row], float], str], ...]] = (
    ("wishes that the firm asked could not serve", lambda row: row["books"]["unmet"], "{:.0%}"),
    ("stock turns a year, goods and materials at cost", lambda row: row["books"]["turns"], "{:.1f}"),
    ("gross margin, after materials", lambda row: row["books"]["gross_margin"], "{:.0%}"),
    ("net margin, after tax", lambda row: row["books"]["net_margin"], "{:.0%}"),
    ("carbon per kg sold, kg, scope 1", lambda row: row["books"]["carbon"][0], "{:.2f}"),
    ("carbon per kg sold, kg, scope 2", lambda row: row["books"]["carbon"][1], "{:.2f}"),
    ("carbon per kg sold, kg, scope 3", lambda row: row["books"]["carbon"][2], "{:.2f}"),
    ("carbon per kg sold, kg, in all", lambda row: sum(row["books"]["carbon"]), "{:.2f}"),
)


def _spread(rows: list[Row], read: Callable[[Row], float], form: str) -> str:
    values = [read(row) for row in rows]
    middle, low, high = (form.format(one) for one in (mean(values), min(values), max(values)))
    return f"{middle} ({low} to {high})"
