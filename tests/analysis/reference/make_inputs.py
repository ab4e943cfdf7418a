"""Writes the inputs of the outside references; `python -m tests.analysis.reference.make_inputs`.

Seeded, so that they can be made anew; numbers have few digits, so that every program reads the same ones.
"""

from pathlib import Path

import numpy as np

INPUTS = Path(__file__).parent / "inputs"

HAND_MADE: dict[str, list[float]] = {
    "tied_6": [2, -2, 3, 5, 7, 8],
    "untied_8": [1.5, -2.25, 3.125, 4, -5.5, 6.75, 8, 9.25],
    "one": [3],
    "zeros_7": [0, 0, 1, -2, 3, 4, 5],
}


def differences() -> dict[str, list[float]]:
    """Paired differences by case: hand-made ones, then normal ones of the sizes between which the method changes."""
    generator = np.random.default_rng(1945)
    cases: dict[str, list[float]] = {name: [float(value) for value in values] for name, values in HAND_MADE.items()}
    for size in (13, 14, 50, 51, 100):
        values = generator.normal(4, 20, size)
        cases[f"untied_{size}"] = [float(value) for value in np.round(values, 6)]
        cases[f"rounded_{size}"] = [float(value) for value in np.round(values, -1) / 10]
    return cases


def p_families() -> dict[str, list[float]]:
    """Families of p-values."""
    generator = np.random.default_rng(1995)
    drawn = {f"drawn_{size}": [float(p) for p in np.round(generator.beta(0.5, 2, size), 8)] for size in (1, 6, 40)}
    return {
        "unsorted_6": [0.012, 0.9, 0.010, 0.95, 0.011, 0.99],
        "five": [0.05, 0.002, 0.03, 0.009, 0.8],
        "equal_4": [0.03, 0.03, 0.03, 0.03],
        **drawn,
    }


def samples() -> dict[str, list[float]]:
    """Samples of several sizes for quantiles."""
    generator = np.random.default_rng(1996)
    return {f"size_{size}": [float(x) for x in np.round(generator.normal(size=size), 6)] for size in (1, 2, 7, 100)}


def pairs() -> dict[str, list[tuple[float, float]]]:
    """Paired values for rank correlation, with and without ties."""
    generator = np.random.default_rng(1904)
    cases = {}
    for size in (2, 6, 30):
        cases[f"untied_{size}"] = np.round(generator.normal(size=(size, 2)), 6)
        cases[f"tied_{size + 4}"] = np.floor(generator.normal(size=(size + 4, 2)) * 1.5)
    return {name: [(float(x), float(y)) for x, y in values] for name, values in cases.items()}


def main() -> None:
    """Write every input."""
    INPUTS.mkdir(exist_ok=True)
    singles = {"differences": differences(), "p_values": p_families(), "samples": samples()}
    for name, cases in singles.items():
        lines = [f"{case},{value!r}" for case, values in cases.items() for value in values]
        (INPUTS / f"{name}.csv").write_text("\n".join(["case,value", *lines]) + "\n", encoding="utf-8")
    lines = [f"{case},{x!r},{y!r}" for case, values in pairs().items() for x, y in values]
    (INPUTS / "pairs.csv").write_text("\n".join(["case,x,y", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
