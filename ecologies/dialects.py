"""How servers of a family are spoken to: plain data, one table for each dialect in `data/dialects.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

DialectName = Literal["openai", "anthropic", "gemini", "deepseek", "qwen", "doubao", "vllm", "llama.cpp", "ollama"]
SamplingName = Literal["temperature", "top_p", "max_tokens", "seed"]
FormatName = Literal["json_schema", "json_object"]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]
HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")]

_FILE: Final = "data/dialects.toml"
_SECRET: Final = ("authorization", "key", "token", "secret", "cookie")


def _check_headers(headers: dict[str, str]) -> dict[str, str]:
    secret = [name for name in headers if any(word in name.lower() for word in _SECRET)]
    if secret:
        raise ValueError(
            f"header {secret[0]} would hold a key, which never stands in the file; name its variable in "
            "api_key_env, and its header in quirks.key_header"
        )
    return headers


class Quirks(BaseModel):
    """Changes to single keys of a dialect, for a server that differs from its family; null keeps the family's."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: Annotated[str, Field(pattern=r"^/[^\s?#]*$")] | None = None
    key_header: HeaderName | None = None
    key_prefix: HeaderValue | None = None
    headers: Annotated[dict[HeaderName, HeaderValue], AfterValidator(_check_headers)] | None = None
    token_parameter: Literal["max_tokens", "max_completion_tokens"] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    last_turn: Literal["omit", "forbid"] | None = None
    keep_connections: bool | None = None
    mark_caches: bool | None = None
    schemas: Literal["full", "plain"] | None = None


class Dialect(BaseModel):
    """How one server is spoken to.

    Attributes:
        protocol: shape of requests and replies: chat completions, Anthropic's messages, or a policy's observations.
        path: what follows the base URL.
        key_header: header that carries the key, after `key_prefix`.
        headers: further headers of every request.
        token_parameter: name of the limit of a reply.
        max_tokens: limit of a reply that is sent when the models file gives none; null sends none.
        sampling: sampling parameters that the server knows.
        formats: kinds of structured output that it knows.
        last_turn: how the last request keeps the model from calling tools: it leaves the tools out, or forbids them.
        reasoning_fields: fields of an assistant message that hold its reasoning.
        keep_connections: whether a connection is used again.
        mark_caches: whether the parts of a prompt that come again are marked for the server's cache.
        schemas: whether JSON schemas go out as they are, or in the small vocabulary of `actors.llm.schemas`.
        rate_words: words in lower case that mean, under status 429, a rate here, though a spent quota elsewhere.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    protocol: Literal["chat", "messages", "observed"]
    path: str = "/chat/completions"
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    headers: dict[str, str] = {}
    token_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - no secret
    max_tokens: int | None = None
    sampling: tuple[SamplingName, ...] = ("temperature", "top_p", "max_tokens", "seed")
    formats: tuple[FormatName, ...] = ("json_schema", "json_object")
    last_turn: Literal["omit", "forbid"] = "omit"
    reasoning_fields: tuple[str, ...] = ("reasoning_content", "reasoning", "reasoning_details")
    keep_connections: bool = True
    mark_caches: bool = False
    schemas: Literal["full", "plain"] = "full"
    rate_words: tuple[str, ...] = ()

    def with_quirks(self, quirks: Quirks) -> Dialect:
        """The dialect with single keys changed."""
        return self.model_copy(update=quirks.model_dump(exclude_none=True))


@lru_cache
def dialects() -> dict[str, Dialect]:
    """Every dialect by name."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return {name: Dialect.model_validate(_tuples(table)) for name, table in tomllib.loads(text).items()}


def _tuples(table: dict[str, object]) -> dict[str, object]:
    """Lists as tuples, which strict validation asks for."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
