"""Computes reference values with statsmodels; `python make_statsmodels.py` in this folder, where statsmodels is.

It is no requirement of the project. Writes statsmodels/*.csv and the versions beside them.
"""

import csv
import platform
from pathlib import Path

import numpy as np
import scipy
import statsmodels  # type: ignore[import-not-found]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-not-found]
from statsmodels.stats.power import TTestPower  # type: ignore[import-not-found]

HERE = Path(__file__).parent
RESULTS = HERE / "statsmodels"


def adjusted() -> list[tuple[str, str]]:
    """Benjamini-Hochberg of every family of p-values."""
    families: dict[str, list[float]] = {}
    with (HERE / "inputs" / "p_values.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            families.setdefault(row["case"], []).append(float(row["value"]))
    return [
        (case, repr(float(q)))
        for case, family in families.items()
        for q in multipletests(family, method="fdr_bh", is_sorted=False)[1]
    ]


def detectable() -> list[tuple[str, str]]:
    """Standardised difference that a two-sided paired t-test finds with a power of 80 % (noncentral t)."""
    solve = TTestPower().solve_power
    return [(str(n), repr(float(solve(nobs=n, alpha=0.05, power=0.8)))) for n in (10, 20, 50, 100, 400)]


def main() -> None:
    """Write every reference."""
    RESULTS.mkdir(exist_ok=True)
    tables = {"benjamini_hochberg": ("case,q", adjusted()), "detectable": ("n,effect", detectable())}
    for name, (head, rows) in tables.items():
        text = "\n".join([head, *(",".join(row) for row in rows)]) + "\n"
        (RESULTS / f"{name}.csv").write_text(text, encoding="utf-8")
    versions = [
        f"statsmodels {statsmodels.__version__}",
        f"scipy {scipy.__version__}",
        f"numpy {np.__version__}",
        f"python {platform.python_version()}",
    ]
    (RESULTS / "version.txt").write_text("\n".join(versions) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
