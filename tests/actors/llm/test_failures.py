import json

import pytest

from actors.llm.failures import read_error


@pytest.mark.parametrize(
    ("status", "body", "error_class"),
    [
        (401, '{"error": {"code": "invalid_api_key"}}', "auth"),
        (403, "", "auth"),
        (400, '{"error": {"message": "Incorrect API key provided"}}', "auth"),
        (400, '[{"error": {"status": "PERMISSION_DENIED", "message": "no"}}]', "auth"),
        (402, '{"error": "Insufficient Balance"}', "quota"),
        (429, '{"error": {"code": "insufficient_quota", "message": "check your plan and billing"}}', "quota"),
        (429, '{"error": {"message": "slow down, model m not found in the fast lane"}}', "rate"),
        (429, "", "rate"),
        (404, '{"error": {"code": "model_not_found", "message": "no"}}', "model_not_found"),
        (400, '{"detail": "The model `x` does not exist"}', "model_not_found"),
        (413, "", "context_overflow"),
        (400, '{"error": {"type": "exceed_context_size_error", "n_ctx": 512}}', "context_overflow"),
        (400, "This model's maximum context length is 4096 tokens", "context_overflow"),
        (400, '{"error": {"code": "content_filter", "message": "flagged"}}', "content_filter"),
        (400, '{"error": {"message": "max_tokens unsupported"}}', "bad_request"),
        (422, '{"detail": [{"loc": ["body"], "msg": "field required"}]}', "bad_request"),
        (301, "", "bad_request"),
        (408, "", "timeout"),
        (409, "", "server"),
        (500, "Internal Server Error", "server"),
        (502, "<html><body>bad gateway</body></html>", "html_body"),
        (503, '{"error": {"message": "Loading model"}}', "overloaded"),
        (503, "<html>busy</html>", "overloaded"),
        (529, '{"error": {"type": "overloaded_error"}}', "overloaded"),
    ],
)
def test_status_and_words_give_the_class(status: int, body: str, error_class: str) -> None:
    assert read_error(status, body).error_class == error_class


def test_the_message_is_the_errors_own_and_short() -> None:
    assert read_error(400, json.dumps({"error": {"message": "m" * 900}})).message == "m" * 200
    assert read_error(500, "").message == "status 500 without a body"
    assert read_error(400, '{"detail": [{"msg": "field required"}]}').message == "field required"


@pytest.mark.parametrize(
    ("status", "message", "error_class"),
    [
        (400, "The moderation service is unavailable, try again", "overloaded"),
        (400, "Unable to reach moderation endpoint", "overloaded"),
        (200, "moderation timed out", "overloaded"),
        (400, "Engine is currently overloaded", "overloaded"),
        (400, "the request was throttled", "rate"),
        (400, "you exceeded the rate limit", "rate"),
        (403, "quota exceeded for project", "quota"),
        (403, "Request blocked by content policy", "content_filter"),
        (400, "blocked by the content filter", "content_filter"),
        (400, "the prompt violates our content policy", "content_filter"),
        (400, "Blocked by our moderation system", "content_filter"),
    ],
)
def test_plain_words_decide_whose_fault_it_is(status: int, message: str, error_class: str) -> None:
    assert read_error(status, json.dumps({"error": {"message": message}})).error_class == error_class
