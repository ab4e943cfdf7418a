"""The six stand-in styles played in this process: the tools' figures in, their plan out, no server and no defects."""

from __future__ import annotations

import json
from dataclasses import dataclass

from actors.llm.standin_planner import plan
from actors.llm.standin_reply import noise_of
from actors.llm.standin_styles import STYLES, Style
from actors.llm.standin_view import NEEDED_TOOLS, Talk, read_view
from erpsim.decision import Decision
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from erpsim.tools import call_tool


@dataclass(frozen=True)
class StandinPolicy:
    """One style; its noise depends on the seat, the round and the seed alone."""

    style: Style
    seed: int = 0

    async def decide(self, observation: Observation) -> Proposal:
        """Propose what the stand-in would answer to this round."""
        results = {name: json.loads(call_tool(name, {}, observation).text) for name in NEEDED_TOOLS}
        talk = Talk(self.style.model, observation.round_number, observation.horizon, results, True, 0, ())
        noise = noise_of(f"{self.style.model} {observation.seat} {observation.round_number}".encode(), self.seed)
        return Proposal(Decision.model_validate(plan(read_view(talk), self.style, noise)))


def standin_policies() -> dict[str, StandinPolicy]:
    """The six by label."""
    return {model: StandinPolicy(style) for model, style in STYLES.items()}
