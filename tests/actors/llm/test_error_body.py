import json
from typing import Any

import pytest

from actors.llm.error_body import WORDS_CHARACTERS, has_error, read_error_body, retry_delay_s


@pytest.mark.parametrize(
    ("body", "kind", "parameter", "message"),
    [
        ({"error": {"message": "m", "type": "t", "param": "p", "code": "c"}}, "c t", "p", "m"),
        ({"error": {"message": "m", "code": 400, "param": None}}, "400", "", "m"),
        ({"error": "m"}, "", "", "m"),
        ([{"error": {"code": 400, "message": "m", "status": "S", "details": [{"reason": "R"}]}}], "400 S R", "", "m"),
        ({"detail": "m"}, "", "", "m"),
        ({"detail": [{"loc": ["body", "seed"], "msg": "m", "type": "t", "input": "long"}]}, "t", "seed", "seed: m"),
        ({"detail": [{"msg": "m"}]}, "", "", "m"),
        ({"object": "error", "message": "m", "type": "t", "code": 404}, "404 t", "", "m"),
        ({"code": "C", "message": "m", "request_id": "r"}, "C", "", "m"),
        ({"type": "error", "error": {"type": "t", "message": "m"}}, "error t", "", "m"),
        ({"message": {"detail": [{"loc": ["body", "x"], "msg": "m", "type": "t"}]}}, "t", "x", "x: m"),
        (
            {"error": {"message": "out", "metadata": {"raw": '{"error": {"message": "in", "param": "p"}}'}}},
            "",
            "p",
            "out: in",
        ),
        ({"error": {"message": "out", "metadata": {"raw": "plain"}}}, "", "", "out: plain"),
        ({"error": {"metadata": None, "message": "m"}}, "", "", "m"),
        ({"errors": [{"message": "m", "code": 7}]}, "7", "", "m"),
        ({"error": {}, "message": "m"}, "", "", "m"),
        ("plain", "", "", '"plain"'),
    ],
)
def test_an_error_is_read_in_every_shape(body: Any, kind: str, parameter: str, message: str) -> None:
    read = read_error_body(json.dumps(body))
    assert (read.kind, read.parameter) == (kind, parameter)
    assert read.message == message or (isinstance(body, str) and read.message == body)


@pytest.mark.parametrize("body", ["", "text", "7", "null", "[]", "{}", '{"error": null}', "[[[[]]]]", "[" * 99_999])
def test_anything_else_is_its_own_message_and_no_crash(body: str) -> None:
    read = read_error_body(body)
    assert (read.kind, read.parameter) == ("", "")
    assert read.message == body[:WORDS_CHARACTERS]


def test_a_long_error_is_read_to_a_limit() -> None:
    read = read_error_body(json.dumps({"error": {"message": "m" * 9_000, "code": "c" * 9_000}}))
    assert (len(read.message), len(read.kind)) == (WORDS_CHARACTERS, WORDS_CHARACTERS)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"error": {"message": "x"}}, True),
        ({"detail": "x"}, True),
        ({"code": 500, "msg": "busy"}, True),
        ({"error": None}, False),
        ({"error": None, "choices": []}, False),
        ({"code": 0, "message": "ok"}, False),
        ({"id": "x", "object": "chat.completion"}, False),
        ({}, False),
    ],
)
def test_an_answer_tells_of_an_error_or_does_not(answer: dict[str, Any], told: bool) -> None:
    assert has_error(answer) == told


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 7m12s.", 432.0),
        ("Please try again in 1h2m3.5s", 3723.5),
        ("try again in 250ms", 0.25),
        ("Please retry after 2 minutes.", 120.0),
        ("Retry in 34.07s.", 34.07),
        ("try again in 5 apples", None),
        ("try again later", None),
        ("try again in " + "9" * 500 + "s", None),
    ],
)
def test_a_wait_is_read_from_an_errors_words(message: str, seconds: float | None) -> None:
    assert retry_delay_s(json.dumps({"error": {"message": message}})) == seconds
