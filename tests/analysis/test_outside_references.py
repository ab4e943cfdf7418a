"""The statistics against R and statsmodels on the same committed inputs, to 1e-12 where the method is the same."""

import csv
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import metrics
from analysis.agreement import spearman
from analysis.false_discovery import benjamini_hochberg
from analysis.signed_rank import ALL_ZERO, EXACT, NORMAL, PERMUTATION, signed_rank
from analysis.uncertainty import detectable
from tests.analysis.panels import one_ecology
from tests.analysis.reference import make_inputs

FOLDER = Path(__file__).parent / "reference"
R_COLUMN = {EXACT: "exact", NORMAL: "normal", PERMUTATION: "permuted"}


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _cases(name: str, column: str = "value") -> dict[str, np.ndarray]:
    found: dict[str, list[float]] = {}
    for row in _rows(name):
        found.setdefault(row["case"], []).append(float(row[column]))
    return {case: np.array(values) for case, values in found.items()}


def _close(found: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12))


def test_signed_rank_is_that_of_r() -> None:
    reference = {row["case"]: row for row in _rows("r/wilcoxon.csv")}
    used = set()
    for case, differences in _cases("inputs/differences.csv").items():
        found, row = signed_rank(differences), reference[case]
        kept = int((differences != 0).sum())
        v = float(row["v"])
        assert found.method != ALL_ZERO
        assert found.statistic == min(v, kept * (kept + 1) / 2 - v), case
        assert _close(found.p, float(row[R_COLUMN[found.method]])), case
        used.add(found.method)
    assert used == set(R_COLUMN)


@pytest.mark.parametrize("program", ["r", "statsmodels"])
def test_benjamini_hochberg_is_that_of_r_and_statsmodels(program: str) -> None:
    reference = _cases(f"{program}/benjamini_hochberg.csv", "q")
    families = _cases("inputs/p_values.csv")
    assert reference.keys() == families.keys()
    assert all(_close(benjamini_hochberg(p).q, reference[case]) for case, p in families.items())


def test_quantiles_are_rs_of_type_7() -> None:
    samples = _cases("inputs/samples.csv")
    for row in _rows("r/quantile.csv"):
        assert _close(np.quantile(samples[row["case"]], float(row["at"]), method="linear"), float(row["value"]))


def test_the_90th_percentile_of_regret_is_rs_of_type_7() -> None:
    # Two models at 0 and 1 M EUR fix the range, so that the third has the regret 1 - value.
    reference = {(row["case"], row["at"]): float(row["value"]) for row in _rows("r/quantile.csv")}
    values = _cases("inputs/samples.csv")["size_100"]
    low, high = values.min() - 1, values.max() + 1
    table = metrics.summary(one_ecology(np.column_stack([np.full(100, low), np.full(100, high), values])))
    p90 = float(table["p90_regret"][table["model"] == "m2"].iloc[0])
    ten = np.quantile(values, 0.1, method="linear")
    assert _close(ten, reference["size_100", "0.1"])
    assert p90 == pytest.approx((high - ten) / (high - low), abs=1e-12)


def test_rank_correlation_is_that_of_r() -> None:
    first, second = (_cases("inputs/pairs.csv", column) for column in "xy")
    for row in _rows("r/spearman.csv"):
        case = row["case"]
        assert _close(spearman(first[case][None], second[case][None]), [float(row["rho"])]), case


def test_ranks_are_rs_average_ranks() -> None:
    reference = _cases("r/rank.csv", "rank")
    for case, values in _cases("inputs/differences.csv").items():
        ranks = one_ecology(values[None], [f"m{number:03d}" for number in range(len(values))])["rank"]
        assert _close(ranks, reference[case]), case


def test_the_detectable_difference_is_within_1_percent_of_the_noncentral_t() -> None:
    # statsmodels solves the power of the t-test itself; ours is the usual approximation by two quantiles.
    for row in _rows("statsmodels/detectable.csv"):
        assert detectable(1.0, int(row["n"])) == pytest.approx(float(row["effect"]), rel=0.01)


def test_the_committed_inputs_are_those_that_the_script_makes() -> None:
    for name, cases in (("differences", make_inputs.differences()), ("p_values", make_inputs.p_families())):
        committed = _cases(f"inputs/{name}.csv")
        assert {case: values.tolist() for case, values in committed.items()} == cases


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed; its committed output is used")
def test_r_gives_the_committed_output_again(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "inputs", tmp_path / "inputs")
    shutil.copy(FOLDER / "make.R", tmp_path)
    subprocess.run(["Rscript", "--vanilla", "make.R"], cwd=tmp_path, check=True, capture_output=True)
    for committed in sorted((FOLDER / "r").glob("*.csv")):
        again = pd.read_csv(tmp_path / "r" / committed.name)
        pd.testing.assert_frame_equal(again, pd.read_csv(committed), rtol=1e-12, atol=1e-12)
