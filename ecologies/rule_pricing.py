"""What a rule asks for its goods: an opening price, then moves that would clear its supply, with an eye on rivals."""

from __future__ import annotations

import numpy as np

from ecologies.rule_forecast import OWN_ELASTICITY, demand_at
from ecologies.rule_parameters import RuleParameters
from erpsim.catalogue import ACTIVE
from erpsim.observation import Observation
from erpsim.units import DAYS, FloatArray


def price_list(parameters: RuleParameters, observation: Observation, supply: float) -> FloatArray:
    """Set prices, (12, 3) EUR/unit in whole cents.

    Args:
        parameters: the manager.
        observation: the round's.
        supply: units that goods in stock and production of the round come to.
    """
    if not observation.history:
        wanted = parameters.opening_price * observation.list_prices[:, None] * np.array(parameters.channel_tilt)
        return _bounded(parameters, observation, wanted)
    base = observation.prices + _cost_rise(observation)[:, None]
    target = _clearing(parameters, observation, base, supply)
    report = observation.history[-1].report
    rivals = np.where(report.rival_price_mean > 0, report.rival_price_mean, base)
    pulled = target ** (1 - parameters.rival_weight) * (parameters.premium * rivals) ** parameters.rival_weight
    lowest, highest = (1 - parameters.price_step) * base, (1 + parameters.price_step) * base
    return _bounded(parameters, observation, np.minimum(np.maximum(pulled, lowest), highest))


def _clearing(parameters: RuleParameters, observation: Observation, base: FloatArray, supply: float) -> FloatArray:
    """Move all prices together towards the level at which expected demand meets supply."""
    demand = np.add.reduce(demand_at(observation, base), axis=None)
    closing = 0.0 if observation.round_number == observation.horizon else parameters.closing_days / DAYS
    wanted = demand * (parameters.fill_target + closing)
    factor = (wanted / max(supply, 1.0)) ** (parameters.learning / OWN_ELASTICITY)
    target: FloatArray = base * max(factor, 0.01)
    return target


def _cost_rise(observation: Observation) -> FloatArray:
    """EUR a unit that materials cost more than the goods in stock did, (12,)."""
    rise: FloatArray = observation.unit_cost - observation.goods_cost
    return rise


def _bounded(parameters: RuleParameters, observation: Observation, prices: FloatArray) -> FloatArray:
    floor = np.maximum(parameters.floor * observation.list_prices, parameters.markup * observation.unit_cost)
    list_prices = observation.list_prices[:, None]
    low, high = (bound * list_prices for bound in observation.price_band)
    bounded = np.minimum(np.maximum(np.maximum(prices, floor[:, None]), low), high)
    # Down to the cent, so that rounding never leaves the band.
    return np.where(ACTIVE, np.floor(bounded * 100 + 1e-6) / 100, list_prices)
