"""A firm that was replayed is told in its prompt what one that played on is told."""

from pathlib import Path

from actors.journal_link import JournalRecorder
from actors.llm.calls import DecisionKey
from actors.llm.prompts.render import round_prompt
from actors.recovery import played_of
from actors.run_file import JOURNAL_NAME
from actors.trajectory import observation_of, opened, replayed
from ecologies.policy import PolicySpec
from erpsim.observation import Observation
from erpsim.proposal import Proposal
from tests.actors.scripts import RUN_ID, Script, Stage, short_problems, small_work


class Reader:
    """Decides as the script does, and keeps every prompt that it would have been sent."""

    def __init__(self) -> None:
        self.prompts: dict[tuple[int, int], str] = {}

    def __call__(self, spec: PolicySpec, recorder: JournalRecorder) -> "Reader":
        return self

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal:
        self.prompts[observation.seat, observation.round_number] = round_prompt(observation)
        return Script().proposal(observation)


async def test_a_resumed_firm_remembers_what_it_asked_what_was_cut_and_that_it_fell_back(tmp_path: Path) -> None:
    unit = small_work(short_problems(1))[0]
    reader = Reader()
    stage = Stage.build(tmp_path, (unit,), reader)
    await stage.market.play(unit.market.market_id, True)
    await stage.audit.close()
    played = played_of(tmp_path / JOURNAL_NAME, unit)
    for seat, rounds in played.items():
        for done in range(unit.problem.horizon):
            again = observation_of(replayed(opened(RUN_ID, unit, seat), rounds[:done]))
            assert round_prompt(again) == reader.prompts[seat, done + 1]
    assert "finance borrow 1000000000 -> " in reader.prompts[1, 2]
    assert "NO USABLE DECISION came from you" in reader.prompts[3, 3]
    assert "NO USABLE DECISION" not in reader.prompts[2, 3]
