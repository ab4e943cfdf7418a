"""The figures of a report: the paper's 2 to 6 and four of ours, drawn from findings and records under one theme."""

from analysis.figures.catalogue import CAPTIONS, FIGURES, draw
from analysis.figures.output import FORMATS, svg, write

__all__ = ["CAPTIONS", "FIGURES", "FORMATS", "draw", "svg", "write"]
