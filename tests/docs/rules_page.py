"""The page that explains the game; `python -m tests.docs.rules_page` writes it and its pictures anew."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Any, Final

import jinja2

from ecologies import panel
from ecologies.disturbances import HARDSHIPS, KINDS, Level, variants
from erpsim import exogenous, loans
from erpsim import round as round_steps
from erpsim.catalogue import (
    ACTIVE,
    CHANNELS,
    FOODS,
    IS_FOOD,
    LIST_PRICES,
    MATERIAL_PRICES,
    MATERIALS,
    MEAN_PREFERENCE,
    RECIPES,
    SKUS,
    STANDARD_COST,
)
from erpsim.conditions import reference_potential
from erpsim.parameters import RULES, Rules
from erpsim.units import WEEK, WEEKS, YEAR
from erpsim.valuation import Position, breakup_value, value
from tests.docs.pages import DOCS
from tests.docs.rules_pictures import pictures
from tests.docs.rules_text import millions, number, percent, table, trimmed
from tests.docs.worked_text import worked

FOLDER: Final = DOCS / "explanation"
TEMPLATES: Final = DOCS.parent / "tests" / "docs" / "rules"
HORIZON: Final = 6
OBSERVED: Final = 6.5
"""M EUR of net debt up to which notches of the risk line were seen in real games."""


STRENGTHS: Final = {
    "demand_slump": "change of demand",
    "demand_surge": "change of demand",
    "channel_shift": "share of one channel's demand that moves to another",
    "price_sensitivity": "factor on the price exponents",
    "material_price": "factor on material prices",
    "supplier_delay": "days more that vendor A takes",
    "capacity_outage": "share of the line's hours lost",
    "credit_freeze": "no borrowing and no investing",
    "carbon_price": "EUR a kg",
    "opening_overstock": "units of goods that the game opens with",
    "opening_cash": "EUR that the game opens with less",
    "setup_time": "hours of a setup",
}


def files() -> dict[str, str]:
    """Every generated file by its name below `docs/explanation`."""
    return {"rules.md": page(), **{f"rules/{name}.svg": text for name, text in pictures().items()}}


def page() -> str:
    """The page, every number of it taken from the code."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        variable_start_string="[[",
        variable_end_string="]]",
        keep_trailing_newline=True,
    )
    return environment.get_template("rules.md.j2").render(_figures() | _tables() | {"worked": worked()})


def _figures() -> dict[str, Any]:
    low, high = RULES.receivable_days_low, RULES.receivable_days_high
    one = {name: breakup_value(Position(0, 0, 0, 0, 0, **{name: 1.0})) for name in _HASTE}
    return {
        "n": number,
        "percent": percent,
        "percent_tex": lambda fraction: percent(fraction).replace(" %", r"\,\%"),
        "millions": millions,
        "triple": lambda values: " | ".join(number(item) if item != str(item) else item for item in values),
        "lead": lambda vendor: f"{RULES.vendor_lead_low[vendor]}-{RULES.vendor_lead_high[vendor]}",
        "rules": RULES,
        "exogenous": exogenous,
        "week": WEEK,
        "weeks": WEEKS,
        "year": YEAR,
        "skus": SKUS,
        "season_range": "-".join(percent(end).removesuffix(" %") for end in exogenous.SEASON_RANGE) + " %",
        "spread_range": "-".join(percent(end).removesuffix(" %") for end in exogenous.SPREAD_RANGE) + " % a week",
        "potential": reference_potential(RULES.outside_share),
        "payment": [f"{a}-{b}" if a < b else str(b) for a, b in zip(low, high, strict=True)],
        "gain": trimmed(1 - RULES.goodwill_decay),
        "memory_rest": trimmed(1 - RULES.service_memory),
        "observed": OBSERVED,
        "ladder": ", ".join(number(cost) for cost in RULES.setup_ladder),
        "breakup": {name: trimmed(share) for name, share in one.items()},
        "example_value": f"{value(Position(20e6, 30e6, 0.04, 0, 0)).total / 1e6:.3f}",
    }


_HASTE: Final = ("receivables", "stock", "fixed_assets")


def _tables() -> dict[str, str]:
    steps = (round_steps.__doc__ or "").split("\n\n")[1]
    prices = zip(MATERIALS, MATERIAL_PRICES, strict=True)
    return {
        "steps": "\n".join(line[4:] for line in steps.splitlines()),
        "sku_table": _sku_table(),
        "recipe_table": _recipe_table(),
        "material_prices": ", ".join(f"{name} {price:.2f}" for name, price in prices),
        "storage_rows": _storage_rows(),
        "risk_line": ", ".join(f"{knot.net_debt / 1e8:g}: {100 * knot.risk:.2f}" for knot in loans.RISK_LINE),
        "limits": _limits(),
        "spared": ", ".join(f"`{kind}`" for kind in KINDS if kind not in HARDSHIPS),
        "disturbance_rows": "\n".join(
            f"| `{kind}` | {STRENGTHS[kind]} | {_courses(kind, 'mild')} | {_courses(kind, 'strong')} |"
            for kind in KINDS
        ),
        "setting_rows": "\n".join(f"| {name} | {effect} | {shown} |" for name, effect, shown in _settings()),
        "figure_rows": "\n".join(_figure_row(name) for name in (field.name for field in fields(Rules))),
    }


def _settings() -> list[tuple[str, str, str]]:
    return [
        ("size", "factor on the potential", f"lognormal, sd {panel.SIZE_SD:g}, within {_range(panel.SIZE_RANGE)}"),
        ("trend", "growth of the potential a round", _range(panel.TREND_RANGE)),
        ("sensitivity", "factor on the price exponents", _range(panel.SENSITIVITY_RANGE)),
        ("outside share", "$s_0$", _range(panel.OUTSIDE_RANGE)),
        ("material level", "factor on material prices", _range(panel.MATERIAL_RANGE)),
        ("cash", "EUR at the opening", _range(panel.CASH_RANGE)),
        ("cash before a credit freeze", "EUR at the opening", _range(panel.LOW_CASH_RANGE)),
        ("loan", "EUR at the opening, less where cash is low", number(panel.LOAN)),
    ]


def _range(ends: tuple[float, float]) -> str:
    return f"{number(ends[0])} to {number(ends[1])}"


def _sku_table() -> str:
    rows = [
        [
            f"`{sku}`",
            f"{LIST_PRICES[j]:.2f}",
            f"{STANDARD_COST[j]:.2f}",
            *(f"{MEAN_PREFERENCE[j, k]:.2f}" if ACTIVE[j, k] else "" for k in range(len(CHANNELS))),
        ]
        for j, sku in enumerate(SKUS)
    ]
    return table(["SKU", "list price", "materials", *(f"taste, {name}" for name in CHANNELS)], rows)


def _recipe_table() -> str:
    rows = [[f"`{sku}`", *(str(kg) if kg else "" for kg in RECIPES[j, IS_FOOD].tolist())] for j, sku in enumerate(SKUS)]
    return table(["kg for 1,000 units", *FOODS], rows)


def _storage_rows() -> str:
    tariffs = (RULES.storage_goods, RULES.storage_food, RULES.storage_packaging)
    kinds = ("goods, units", "food, kg", "packaging, pieces")
    return "\n".join(
        f"| {kind} | {number(free)} | {number(cost)} | {number(kg)} |"
        for kind, (free, cost), kg in zip(kinds, tariffs, RULES.carbon_overstock, strict=True)
    )


def _limits() -> str:
    parts = [
        f"{step.eighths / 8:g}" + (f" up to {100 * step.risk:g} % risk" if step.risk < 1 else " beyond")
        for step in loans.LIMIT_STEPS
    ]
    return ", ".join(parts)


def _courses(kind: Any, level: Level) -> str:
    """Magnitudes of every course that the panel's generator may draw; a course of equal ones says how long it is."""
    courses = variants(kind, level, HORIZON)
    return " or ".join(
        f"{number(course[0])} for {len(course)} round{'s' if len(course) > 1 else ''}"
        if len(set(course)) == 1
        else ", ".join(map(number, course))
        for course in courses
    )


def _figure_row(name: str) -> str:
    field = next(field for field in fields(Rules) if field.name == name)
    data, figure = field.metadata, getattr(RULES, name)
    shown = ", ".join(map(number, figure)) if isinstance(figure, tuple) else number(figure)
    bounds = f"{number(data['low'])} to {number(data['high'])}"
    return f"| `{name}` | {shown} | {data['unit']} | {bounds} | {data['source']} |"


def main() -> None:
    """Write every file."""
    for name, text in files().items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/explanation/{name}\n")


if __name__ == "__main__":
    main()
