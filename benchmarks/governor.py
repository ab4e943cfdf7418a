"""How the cap of an account's connections moves against a server that refuses what is beyond a limit that it hides.

    python -m benchmarks.governor [--seconds 60] [--latency 0.2] [--figure docs/explanation/governor.svg]

So many callers as the account has connections call through one client and its governor, in one process. The server
answers with 429 when more than `--open-most` requests are open, and from the half of the time on when more than twice
as many are. Prints one JSON line; `--figure` also draws cap and limit over the time.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors.llm.agent import AgentOptions
from actors.llm.calls import CallRecord, DecisionKey, Place, StoredBody
from actors.llm.client import ModelClient
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.switches import Switches
from actors.llm.terms import terms_by_account
from actors.llm.toolbox import standard_toolbox
from actors.llm.wire import Request, Setting, build_request
from benchmarks.arguments import positive
from benchmarks.latency_server import Seen, latency_server
from benchmarks.machine import machine
from benchmarks.model_play import printed
from ecologies.model_entry import Limits, ModelEntry, Retries, Sampling
from ecologies.models import STANDIN_LABELS
from ecologies.problems import shipped_panel
from erpsim.observe import observe
from erpsim.opening import open_firm

EVERY_S: Final = 0.1
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 240, 40, 30
"""Size of the figure, and its margins, in pixels."""


class Moment(NamedTuple):
    """The cap, and the calls that are open, so many seconds after the start."""

    at: float
    cap: int
    open: int


class Forgetful:
    """A journal that keeps nothing."""

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Know no reply."""
        del place, digest
        return None

    async def commit(self, record: CallRecord) -> None:
        """Keep nothing."""

    async def learn(self, model: str, switches: Switches) -> None:
        """Keep nothing."""


async def watched(entry: ModelEntry, seconds: float) -> list[Moment]:
    """Call as fast as the governor lets, and look at it many times a second."""
    governor = LocalGovernor(terms_by_account([entry]), time.monotonic)
    client, request = ModelClient(Keys({}), governor), first_request(entry)
    end = time.monotonic() + seconds

    async def call(number: int) -> None:
        place = Place(DecisionKey(f"market {number}", 0, 1), 0, 0)
        while time.monotonic() < end:
            await client.call(entry, request, place, Forgetful())

    moments: list[Moment] = []
    callers = [asyncio.create_task(call(number)) for number in range(entry.limits.connections)]
    start = time.monotonic()
    while time.monotonic() < end:
        at = round(time.monotonic() - start, 2)
        moments.extend(Moment(at, standing.cap, standing.open) for standing in governor.standing())
        await asyncio.sleep(EVERY_S)
    await asyncio.gather(*callers)
    await client.close()
    return moments


def first_request(entry: ModelEntry) -> Request:
    """What a model is sent first in round 1 of the panel's first problem."""
    problem = shipped_panel().problems[0]
    messages = [
        {"role": "system", "content": system_prompt(6, problem.horizon, AgentOptions().tool_turns)},
        {"role": "user", "content": round_prompt(observe(open_firm(problem, 0), problem, 6))},
    ]
    return build_request(Setting(entry.model, {}, standard_toolbox().offered()), messages, 0, with_tools=True)


def found(moments: Sequence[Moment], log: Sequence[Seen], most: int, seconds: float) -> dict[str, Any]:
    """The figures: by half, the cap on average and the share of requests refused."""
    first = log[0].came
    halves = []
    for half, limit in enumerate((most, 2 * most)):
        start = half * seconds / 2
        caps = [moment.cap for moment in moments if start + seconds / 4 <= moment.at < start + seconds / 2]
        asked = [seen for seen in log if start <= seen.came - first < start + seconds / 2]
        held = sum(seen.left - seen.came for seen in asked)
        halves.append(
            {
                "limit": limit,
                "requests": len(asked),
                "refused_share": round(sum(seen.status == 429 for seen in asked) / len(asked), 4),
                "mean_cap_at_its_end": round(sum(caps) / len(caps), 1),
                "limit_in_use": round(held / (limit * seconds / 2), 3),
            }
        )
    return {"benchmark": "governor", "seconds": seconds, "halves": halves, **machine()}


def drawn(moments: Sequence[Moment], most: int, seconds: float) -> str:
    """An SVG of cap and hidden limit over the time."""
    top = max(2 * most, *(moment.cap for moment in moments)) * 1.1

    def place(at: float, value: float) -> str:
        x = LEFT + at / seconds * (WIDTH - LEFT - 10)
        return f"{x:.1f},{HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - 10):.1f}"

    steps = [place(moment.at, moment.cap) for moment in moments]
    limits = [place(at, value) for at, value in ((0, most), (seconds / 2, most), (seconds / 2, 2 * most))]
    limits.append(place(seconds, 2 * most))
    labels = "".join(
        f'<text x="{LEFT - 6}" y="{place(0, value).split(",")[1]}" text-anchor="end">{value}</text>'
        for value in (0, most, 2 * most, max(moment.cap for moment in moments))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        f' font-size="11"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>{labels}'
        f'<polyline points="{" ".join(limits)}" fill="none" stroke="#b33" stroke-dasharray="6 4"/>'
        f'<polyline points="{" ".join(steps)}" fill="none" stroke="#247" stroke-width="1.5"/>'
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 8}" text-anchor="end">seconds, 0 to {seconds:g}</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 8}">calls that may be open (blue), limit that the server hides (red)</text>'
        "</svg>\n"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, call, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.governor", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the trial (60)")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of every answer (0.2)")
    parser.add_argument("--connections", type=positive, default=64, help="that the account states (64)")
    parser.add_argument("--open-most", type=positive, default=16, help="limit that the server hides (16)")
    parser.add_argument("--figure", type=Path, default=None, help="SVG file to write")
    given = parser.parse_args(arguments)
    moved = ["--open-most", str(given.open_most), "--then", f"{given.seconds / 2}={2 * given.open_most}"]
    with latency_server(given.latency, {}, *moved) as server:
        entry = ModelEntry(
            label=STANDIN_LABELS[0],
            base_url=server.url,
            model=STANDIN_LABELS[0],
            limits=Limits(connections=given.connections),
            retries=Retries(attempts=100, first=0.1, longest=1.0),
            sampling=Sampling(),
        )
        moments = asyncio.run(watched(entry, given.seconds))
        log = sorted(server.log())
    if given.figure is not None:
        given.figure.write_text(drawn(moments, given.open_most, given.seconds))
    printed(found(moments, log, given.open_most, given.seconds))


if __name__ == "__main__":
    main()
