"""A real language model plays: 135 million parameters on one core of this machine, asked as any model is.

It plays badly, and that is recorded as it is. What must hold whatever it says: every decision is asked for, answered,
read and booked, and the server's own count of tokens is ours.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.standin_process import standin_server
from tests.actors.llm.real.llama import Llama, llama, needs_llama
from tests.actors.llm.real.plays import Played, add_standins, make_models, make_panel, play, sent

pytestmark = [pytest.mark.slow, pytest.mark.ray, pytest.mark.real, *needs_llama]

ROUNDS = 2
SEATS = {"solo": "a", "arena": "ab"}  # in Arena the other four seats are stand-ins, for the sake of time
OPTIONS = {"solo": (), "arena": ("--no-preflight",)}  # the model was checked before Solo


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with llama(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def played(server: Llama, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Played], tuple[int, int]]:
    """Both ecologies, and the tokens that the server counted meanwhile."""
    folder = tmp_path_factory.mktemp("played")
    panel = make_panel(folder / "panel.json", ROUNDS)
    before = server.counted()
    runs = {}
    with standin_server(["--delay", "0"]) as others:
        for ecology, letters in SEATS.items():
            models = make_models(folder / f"{ecology}.toml", server.base_url, letters)
            if ecology == "arena":
                add_standins(models, others.base_url, "cdef")
            runs[ecology] = play(folder / ecology, ecology, (models, panel), *OPTIONS[ecology])
    after = server.counted()
    return runs, (after[0] - before[0], after[1] - before[1])


@pytest.mark.parametrize("ecology", SEATS)
def test_every_decision_is_the_models_and_the_problem_is_played_to_its_end(
    played: tuple[dict[str, Played], tuple[int, int]], ecology: str
) -> None:
    run = played[0][ecology]
    assert run.code == 0, run.said
    rounds = its(run, "rounds")
    assert len(rounds) == ROUNDS * len(SEATS[ecology])
    assert all(row["llm_calls"] >= 1 and row["tokens_in"] > 0 and row["tokens_out"] > 0 for row in rounds)
    assert all(row["decision_json"] for row in rounds)
    assert {row["route"].split("|")[0] for row in rounds} == {"smollm2"}
    assert [row["n_rounds"] for row in its(run, "outcomes")] == [ROUNDS] * len(SEATS[ecology])
    assert run.table("failures") == []


@pytest.mark.parametrize("ecology", SEATS)
def test_what_it_could_not_say_is_asked_again_once_and_then_falls_back(
    played: tuple[dict[str, Played], tuple[int, int]], ecology: str
) -> None:
    run = played[0][ecology]
    events = Counter((_key(row), row["category"]) for row in run.table("events"))
    calls = its(run, "calls")
    for row in its(run, "rounds"):
        asks = {call["ask"] for call in calls if _key(call) == _key(row)}
        fell = row["decision_status"] == "fallback"
        assert events[_key(row), "fallback_decision"] == fell
        assert events[_key(row), "reask"] == len(asks) - 1
        assert asks == {0, 1} or not fell
        assert (row["proposal_json"] is None) == fell


def test_tools_are_called_and_every_call_is_answered_under_its_id(
    played: tuple[dict[str, Played], tuple[int, int]],
) -> None:
    calls = [call for run in played[0].values() for call in its(run, "calls")]
    answers = [message for call in calls for message in sent(call) if message["role"] == "tool"]
    assert len(answers) >= 1
    assert all(message["tool_call_id"] and message["content"] for message in answers)


def test_the_model_decides_once_before_the_run_and_those_calls_count_apart(
    played: tuple[dict[str, Played], tuple[int, int]],
) -> None:
    markets = [{call["market_id"] for call in run.table("calls")} for run in played[0].values()]
    assert markets == [{"preflight", "solo/P001/small-a"}, {"arena/P001"}]
    assert {row["market_id"] for row in played[0]["solo"].table("rounds")} == {"solo/P001/small-a"}


def test_the_servers_own_count_of_tokens_is_ours(played: tuple[dict[str, Played], tuple[int, int]]) -> None:
    calls = [call for run in played[0].values() for call in its(run, "calls")]
    assert {call["status"] for call in calls} == {200}
    assert sum(call["tokens_in"] - (call["tokens_cached"] or 0) for call in calls) == played[1][0]
    assert sum(call["tokens_out"] for call in calls) == played[1][1]


def test_replies_that_are_cut_are_asked_for_again_and_then_fall_back(server: Llama, tmp_path: Path) -> None:
    panel = make_panel(tmp_path / "panel.json", 1)
    models = make_models(tmp_path / "models.toml", server.base_url, "a", max_tokens=3)
    run = play(tmp_path / "run", "solo", (models, panel), "--no-preflight")
    assert run.code == 0, run.said
    (row,) = its(run, "rounds")
    assert row["decision_status"] == "fallback"
    events = {event["category"]: event["code"] for event in run.table("events")}
    assert events["reask"] == events["fallback_decision"] == "truncated"
    assert [(call["ask"], call["tokens_out"]) for call in run.table("calls")] == [(0, 3), (1, 3)]


def its(run: Played, table: str) -> list[dict[str, Any]]:
    """Rows of a table that are of the real model."""
    return [row for row in run.table(table) if (row["model"] or "").startswith("small-")]


def _key(row: dict[str, Any]) -> tuple[str, int, int]:
    return row["market_id"], row["seat"], row["round"]
