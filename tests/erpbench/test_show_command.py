"""`erpbench show` against a journal with conversations; no run file, no models file, no process of a run."""

import asyncio
import json
from pathlib import Path

import pytest

from actors.entries import Writer, call_entry
from actors.journal import Journal
from actors.run_file import JOURNAL_NAME
from actors.transcript import Place
from erpbench import exits
from erpbench.show_command import seat_of
from erpsim.errors import RunError
from tests.actors import talks
from tests.actors.samples import call_record
from tests.erpbench.conftest import Command


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(asyncio.run(talks.play(tmp_path_factory.mktemp("run"))))


def test_a_conversation_is_shown_whole_and_in_order(erpbench: Command, run: str) -> None:
    result = erpbench("show", run, talks.ARENA, "Almond", "1")
    assert result.exit_code == exits.DONE, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "arena/P001, round 1: Almond (seat 0, model ma)"
    assert lines[1].startswith("3 calls, 4 attempts; tokens 1,220 in, 40 out; cost unknown")
    assert "queue 0.500, model 2.000" in lines[2]
    heads = [line for line in lines if line.startswith(("CALL", "["))]
    assert heads == [
        "CALL ask 0, turn 0: model m-1, temperature 0.5, tools_offered true",
        "[1] system",
        "[2] user",
        "[3] assistant",
        "CALL ask 0, turn 1: model m-1, tools_offered true",
        "[4] tool",
        "[5] assistant",
        "CALL ask 1, turn 2: model m-1, tools_offered false",
        "[6] user",
        "[7] assistant",
    ]
    assert "    " + talks.LONG + "end" in lines
    (refused,) = [line for line in lines if line.startswith("  attempt 1: status 429")]
    assert refused.split("; ") == [
        "  attempt 1: status 429, 0.250 s",
        "rate: slow down\\nplease",
        "tokens unknown",
        "cost unknown",
        "waited 1.500 s before the next",
        "not used",
    ]
    assert "  calls get_finance (id c1):" in lines
    assert "  answer to a call (id c1):" in lines
    assert "  annotation:" in lines
    assert [line for line in lines if line.startswith("    structural parse_recovered fence")]
    assert "PROPOSAL recovered" in lines
    assert "EXECUTED" in lines


def test_what_a_model_wrote_steers_no_terminal_and_poses_as_no_heading(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.ARENA, "0", "1").stdout
    assert "\x1b" not in text
    assert "    let me \\x1b[31mred\\x1b[0m look" in text


def test_repair_is_told_with_what_was_asked(erpbench: Command, run: str) -> None:
    lines = erpbench("show", run, talks.ARENA, "mb", "1").stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("    finance borrow: asked 1,000,000,000, got ")]
    assert line.endswith("(at most the unused credit limit; none in distress or a credit freeze)")
    assert "  novelty:" in lines


def test_a_fallback_has_no_proposal(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.ARENA, "3", "2").stdout
    assert "PROPOSAL none: the fallback is executed" in text
    assert "REPAIR CHANGED" not in text
    assert "EXECUTED (the round is not committed yet)" in text
    assert "No call is recorded" in text


def test_a_round_under_way_shows_what_there_is(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.ARENA, "0", "3").stdout
    assert "attempt 1: no answer, 0.250 s; network: refused" in text
    assert "NOT DECIDED YET" in text


def test_a_market_that_stopped_says_why(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.ARENA, "0", "2").stdout
    assert "MARKET STOPPED IN THIS ROUND\n    overloaded after 4 attempts: the server is busy" in text


def test_a_rule_has_no_conversation(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.SOLO, "0", "1").stdout
    assert "No conversation: this firm is led by the rule " in text
    assert "EXECUTED" in text


def test_the_machine_form_has_all_of_it_and_bodies_on_request(erpbench: Command, run: str) -> None:
    plain = json.loads(erpbench("show", run, talks.ARENA, "Almond", "1", "--json").stdout)
    assert plain["place"]["firm"] == "Almond"
    assert plain["exchanges"][0]["reply"]["parts"][0]["text"] == f"let me {talks.ESCAPE} look"
    assert "reply" not in plain["exchanges"][0]["attempts"][0]
    raw = json.loads(erpbench("show", run, talks.ARENA, "Almond", "1", "--json", "--raw").stdout)
    first = talks.chat_calls()[1]
    assert raw["exchanges"][0]["attempts"][1]["reply"] == first.reply
    assert raw["exchanges"][0]["request"] == first.request


def test_raw_shows_the_recorded_bodies(erpbench: Command, run: str) -> None:
    text = erpbench("show", run, talks.ARENA, "Almond", "1", "--raw").stdout
    assert "    " + talks.chat_calls()[2].reply in text
    assert "  reply of attempt 2 as recorded:" in text
    assert "  reply of attempt 1 as recorded:" not in text.split("CALL ask 0, turn 1")[0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("arena/P01", "0", "1"), "MARKET is 'arena/P01', which the journal does not hold; name one of arena/P001"),
        (("p001", "0", "1"), "name one of arena/P001, solo/P001/mb, solo/P001/odd"),
        (("arena/P001", "Walnut!", "1"), "FIRM is 'Walnut!', which is no firm, seat or model of arena/P001; name one"),
        (("arena/P001", "6", "1"), "Almond (0, ma), "),
        (
            ("arena/P001", "0", "4"),
            "ROUND is 4; of arena/P001 and that firm the journal holds 1 to 3: name one of them",
        ),
        (("arena/P001", "0", "first"), "'first'"),
    ],
)
def test_a_bad_value_is_told_in_one_line_with_what_is_valid(
    erpbench: Command, run: str, arguments: tuple[str, ...], told: str
) -> None:
    result = erpbench("show", run, *arguments)
    assert result.exit_code == exits.BAD_USE
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_model_that_leads_several_firms_is_no_answer() -> None:
    places = [Place("mixed/P001", 1, seat, f"Firm {seat}", "a" if seat < 2 else "b", "model") for seat in range(3)]
    assert seat_of(places, "mixed/P001", "B") == 2
    with pytest.raises(RunError, match=r"which leads 2 firms; name one of Firm 0 \(0, a\), Firm 1 \(1, a\), by firm"):
        seat_of(places, "mixed/P001", "a")


def test_of_many_firms_the_first_are_offered() -> None:
    places = [Place("mixed/P001", 1, seat, f"Firm {seat}", "a", "model") for seat in range(40)]
    with pytest.raises(RunError, match="and 28 more, by firm or seat"):
        seat_of(places, "mixed/P001", "Zebra")


def test_a_market_is_found_whatever_its_case(erpbench: Command, run: str) -> None:
    assert erpbench("show", run, "Arena/p001", "almond", "1").exit_code == exits.DONE


def test_a_folder_without_a_journal_is_no_run(erpbench: Command) -> None:
    Path("empty").mkdir()
    result = erpbench("show", "empty", "arena/P001", "0", "1")
    assert result.exit_code == exits.BAD_USE
    assert "empty is no run that was begun; name the folder of a run" in result.stderr


def test_the_run_folder_is_left_as_it_was(erpbench: Command, run: str) -> None:
    before = {path.name: path.read_bytes() for path in Path(run).iterdir()}
    erpbench("show", run, talks.ARENA, "0", "1")
    assert {path.name: path.read_bytes() for path in Path(run).iterdir()} == before


async def test_a_run_that_is_being_played_can_be_looked_at(erpbench: Command, tmp_path: Path) -> None:
    await talks.play(tmp_path)
    writer = Journal(tmp_path / JOURNAL_NAME, writable=True)
    later = call_record(market_id=talks.ARENA, seat=0, model="ma", round_number=4, digest="z")
    writer.write([call_entry(later, Writer("another life", 1))])
    try:
        result = erpbench("show", str(tmp_path), talks.ARENA, "Almond", "4")
    finally:
        writer.close()
    assert result.exit_code == exits.DONE, result.output
    assert "CALL ask 0, turn 0" in result.stdout
    assert "NOT DECIDED YET" in result.stdout
