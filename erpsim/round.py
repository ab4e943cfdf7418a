"""One round, in its only order.

     1  news: this round's material prices and announced disturbances enter the Observation        `observe`
     2  the policy returns a proposal (no decision: the fallback)                                  `fallback`
     3  repair: the proposal becomes an executed decision and its events                           `repair`
     4  finance actions and investments                                                            `plan`
     5  purchase orders                                                                            `plan`
     6  production by hours                                                                        `plan`
     7  goods to channels                                                                          `plan`
     8  Offer: prices, goodwill, opening stock, arrivals, service                                  `plan`
     9  the market clears 30 days                                                                  `clear`
    10  postings by day: receipts and arrivals, sales, production, postings                        `settle`
    11  rating, valuation, record                                                                  `settle`

Production never reacts to the same round's sales: one message goes up (Offer), one comes down (Sales), per firm and
round. `open_firm` makes the state that round 1 starts from; `settle_all` is `settle` for many firms at a time.
"""

from __future__ import annotations

from erpsim.fallback import fallback
from erpsim.feasibility import Repaired, repair
from erpsim.market import Cleared, clear
from erpsim.observe import observe
from erpsim.opening import open_firm
from erpsim.planning import plan
from erpsim.settlement import settle, settle_all

__all__ = ["Cleared", "Repaired", "clear", "fallback", "observe", "open_firm", "plan", "repair", "settle", "settle_all"]
