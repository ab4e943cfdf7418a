"""The report as one HTML page that needs nothing beside it: style and figures stand inside, no script, no address.

Every text is escaped by the template engine, and characters that steer a reader are shown by their code. The page also
forbids scripts and foreign content to the browser, so that a fault here would still run nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from analysis.report import Report
from analysis.rows import ROW_FILES
from analysis.tables import cell_text, printable, shortened

TEMPLATE: Final = "report.html.j2"
STYLE: Final = "report.css"

CHART_ROWS: Final[dict[str, tuple[str, ...]]] = {
    "aggregate": ("trajectories",),
    "effect_forest": ("pairs",),
    "audit": ("events",),
    "transitions": ("trajectories", "correlations"),
    "reliability": ("events", "trajectories"),
    "strata": ("pairs",),
    "valuation_paths": ("rounds",),
    "share_paths": ("rounds",),
    "price_paths": ("rounds",),
}
"""Files with the rows behind each figure."""


def page(report: Report, charts: Mapping[str, str], captions: Mapping[str, str]) -> str:
    """Write a report as a page.

    Args:
        report: of a source.
        charts: `<svg>` elements by figure name; a figure without one is left out.
        captions: a sentence for each of them.
    """
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        keep_trailing_newline=True,
    )
    style = (files("analysis") / "templates" / STYLE).read_text(encoding="utf-8")
    return environment.get_template(TEMPLATE).render(
        report=report,
        # Drawn by our own code, its texts escaped by the drawing library; nobody else's mark-up comes this way.
        charts={name: Markup(chart) for name, chart in charts.items()},  # noqa: S704
        captions=captions,
        chart_rows=CHART_ROWS,
        style=Markup(style),  # noqa: S704
        text=cell_text,
        shortened=shortened,
        rows_of=_links,
        row_files=[name for name in ROW_FILES if name not in _absent(report)],
    )


def _shown(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _links(names: Sequence[str]) -> Markup:
    """Links to files of rows, as the end of a caption; nothing without any."""
    links = Markup(", ").join(Markup('<a href="rows/{0}.csv">{0}.csv</a>').format(name) for name in names)
    return Markup('<span class="rows"> Rows: {}.</span>').format(links) if names else escape("")


def _absent(report: Report) -> frozenset[str]:
    return frozenset() if report.material.audited else frozenset({"events"})
