"""The words of the calibration page; its figures come from what was measured."""

from __future__ import annotations

from typing import Final

HEAD: Final = """\
# Calibration

Made from measurements by `bash scripts/calibrate`; rules {rules}. `bash scripts/calibrate --check` plays again what
the points hang on, says PASS, FAIL or TOO FEW for each point and ends with 1 unless all pass; `--panel FILE` checks a
panel of your own instead, and `--folder DIR` keeps what was measured, so that a check that was stopped goes on.

The demand exponents, the shape of the price paths, the valuation's growth rates and some more figures of [the
rules](explanation/rules.md) are *calibrated*: no public source gives them, so they were chosen. This page says what
the choice had to achieve, and whether it does: nine points with bands that were written down before they were
measured, on the shipped panel of 100 problems and on {size} problems of another seed ({seed}) that nothing was tuned
on. A FAIL is printed as such, with what it means. TOO FEW says that a panel is too small for a point's band, and what
size would do.

How it was measured: every problem is played by the five rules alone. All of the shipped panel and {styled} of the
other, spread over the strata, are also played by each of the six stand-in styles in Solo and by all of them in Arena,
in this process and without their defects, and by simple policies. One in {full} of these ({n_full} of the shipped
panel, {n_other} of the other) is measured in full: price levels, mistakes, levers, elasticities. The best response is
searched on {n_searched} problems of the shipped panel and on {n_searched_other} of the other; a check searches one in
{searched} of those that the stand-ins play. Everything is deterministic but a clairvoyant's plan, which ends
after a minute where it has not come near enough to its bound; the rows stand in
`ecologies/data/yardsticks/`. Values are final valuations in M EUR."""

MEANING: Final = {
    1: """\
The paper whose design is followed reports 170 to 264 M; ERPsim's own inputs would give about half of that, so the
market was made 15 % larger and the valuation allows growth.""",
    2: """\
Were the best price at an end of what may be asked, pricing would be no decision. The focal firm keeps one level in
all cells, passes costs on, and otherwise plays as the balanced rule.""",
    3: """\
Were one rule to win everywhere, Solo would measure how close a model comes to it. Each market has the five rules and
nobody else.""",
    4: """\
Strata must be harder in the order of their names, without being hopeless. Over all firms of the markets of the five
rules. The error comes from drawing the stratum's problems again, with all their firms.""",
    5: """\
A constraint that never binds decides nothing. Capacity: after the last run no further lot would have fitted. Materials:
the line stood 24 hours or longer for a delivery, or a run was cut. Cash: overdraft, borrowing, distress, or more than
90 % of what may be spent was spent. Storage: overstock was charged. The band asks for one stratum, not for
each. Storage binds often and costs little ([sensitivity](#sensitivity)): a play is not the worse for a charge of
overstock, and a fifth more or less of its price moves the median valuation by a fraction of a per cent. Capacity,
materials and cash are what has to be managed.""",
    6: """\
A score that luck or nothing reaches measures nothing. The random policy draws prices over the whole allowed band, so
that most of its goods are far too dear.""",
    7: """\
Planning must matter: what is spoilt early should cost more, since stock-outs are remembered and there is less left to
invest. It need not hold for every kind of mistake, only for their mean.""",
    8: """\
The benchmark is about Solo against Arena; if the same style won both everywhere, there would be nothing to see.
Styles are programs; this says nothing about language models.""",
    9: """\
There must be room above the rules. The search plays the problem again and again with other parameters of a rule, so
it is a lower bound of what is possible. All columns but the lowest and the highest gain are medians. The
clairvoyant's plan (`ecologies/yardsticks/clairvoyant.py`) stands beside it in the last columns: it knows everything,
but its rivals do not answer it, and its terms are better than any real ones.""",
    0: """\
What each means of a firm adds to the balanced rule's value, on the problems that were measured in full; a freeze on
every problem that has one. A lever that never pays would be dead, one that always pays in any dose would be no
decision; doses are therefore shown. Where *hurts* is 0, this dose never hurt; a larger dose of the same lever may.""",
    10: """\
**A credit freeze that pays** pays to these rules. It does so only where it begins in round 1 and lasts two rounds; one
that begins in round 2, when money was spent that the bank then does not lend, hurts. Frozen from the start, a rule
orders within its cash. Without the freeze, and with the same low cash, it draws its credit in round 1, is in distress
in round 2 and may order next to nothing; where other blows come on top, the freeze can save it more than it takes.
Nothing in a freeze helps a player who minds the limit anyway: read the row as a weakness of the rules when cash is low,
and do not take a problem with a freeze for an easy one.""",
    -1: """\
Units wished for in round 3 of the five rules' markets, with full shelves, when prices rise by 5 %. The exponents are
calibrations, and so are these: they were set to lie where published estimates do, with hypermarkets' customers the
most sensitive. They are no estimate of any real market. Each problem has its own factor on the exponents, so that
a measured elasticity may exceed the exponents of the rules.""",
}
"""By point; 0 is of the levers and 10 follows them, -1 is of the elasticities."""

FAILS: Final[dict[int, str]] = {}
"""What a point's failing means for whoever uses the benchmark; printed where it fails."""
NO_WORD: Final = "**What the FAIL means** is not known yet: look at the table before you use what rests on this point."
