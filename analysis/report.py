"""From a source to a report: its sections with their tables, its Markdown page and its JSON figures.

Tables and figures come from the same frames. A stand-in is named as one wherever it appears.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from analysis import story
from analysis.coverage import Coverage, cover
from analysis.figures_json import figures
from analysis.findings import Sampling, findings
from analysis.material import STANDIN_NOTE, Material
from analysis.running_tables import certificate_table
from analysis.sections import Section, sections, uncomputed
from analysis.source import Source, served_by_standins
from analysis.story import KeyFigure
from analysis.tables import Table, inert_json, inert_markdown, markdown

STANDARD: Final = Sampling()
"""How intervals are drawn unless said otherwise."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report.

    Attributes:
        material: what it is made from.
        figures: what `report.json` says.
    """

    material: Material
    figures: dict[str, Any]

    @property
    def title(self) -> str:
        """Of the report."""
        return self.material.source.title

    @property
    def coverage(self) -> Coverage:
        """Of its source."""
        return self.material.coverage

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """In reading order; the certificate is the last one."""
        certificate = Section(
            "certificate", "Run certificate", (), (), (certificate_table(self.figures["certificate"]),)
        )
        return (*sections(self.material), certificate)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table, in reading order."""
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What has to be known before any number is read: stand-ins, how the source was read, what is not computed."""
        source = self.material.source
        standins = [label for label in self.material.models if label in source.standins]
        told = [f"Stand-ins play: {', '.join(standins)}. {STANDIN_NOTE}"] if standins else []
        told += source.notes
        told += [f"Not computed: {sentence}" for sentence in uncomputed(self.material)]
        return tuple(told)

    @cached_property
    def key_figures(self) -> tuple[KeyFigure, ...]:
        """For the head of the page."""
        return story.key_figures(self.material)


def build(source: Source, sampling: Sampling = STANDARD) -> Report:
    """Check a source, take every statistic of it and lay them out.

    Args:
        source: one run, several that were merged, or tables from elsewhere.
        sampling: how intervals are drawn.

    Raises:
        RunError: the records contradict themselves or the plan.
    """
    coverage = cover(source.records, source.planned)
    source = replace(source, standins=source.standins | served_by_standins(source.records.rounds))
    found = findings(source.records, source.planned, coverage, source.given, sampling)
    material = Material(source, coverage, found)
    return Report(material, figures(material, uncomputed(material)))


def report_markdown(report: Report) -> str:
    """Write a report as one Markdown page."""
    lines = [f"# {inert_markdown(report.title)}", ""]
    lines += [line for remark in report.remarks for line in (f"> {inert_markdown(remark)}", "")]
    for figure in report.key_figures:
        remark = f" ({inert_markdown(figure.remark)})" if figure.remark else ""
        lines.append(f"- {inert_markdown(figure.title)}: **{inert_markdown(figure.value)}**{remark}")
    for section in report.sections:
        lines += ["", f"## {inert_markdown(section.title)}", ""]
        lines += [line for paragraph in section.text for line in (inert_markdown(paragraph), "")]
        lines += [markdown(table, 3) for table in section.tables]
    return "\n".join(lines).rstrip() + "\n"


def report_json(report: Report) -> str:
    """Write a report's figures as strict JSON."""
    return inert_json(report.figures, indent=2) + "\n"
