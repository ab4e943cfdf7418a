"""One model of the models file: where it is served, how it is spoken to, its sampling, limits, timeouts and prices."""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ecologies.dialects import Dialect, DialectName, Quirks, dialects
from ecologies.policy import PolicySpec

OUR_OWN: Final = frozenset({"model", "messages", "system", "tools", "tool_choice", "stream", "n", "response_format"})
"""Parameters of a request that are ours to set; `extra` may not."""
PLAIN: Final = (str, int, float, bool, dict, list)
"""Types that JSON has; TOML has dates and times beside."""
DEEPEST: Final = 20
"""Levels of `extra`."""


def _check_url(url: str) -> str:
    if not (url.isascii() and url.isprintable()) or " " in url:
        raise ValueError("must be written in ASCII without blanks, a host in its xn-- form")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address such as https://host/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must hold neither a user, a password nor a query")
    if parts.netloc.endswith(":") or parts.port == 0:  # a port that is none raises a ValueError by itself
        raise ValueError("must have a port from 1 to 65535 after its colon")
    return url.rstrip("/")


def _check_extra(extra: dict[str, Any]) -> dict[str, Any]:
    ours = sorted(OUR_OWN.intersection(extra))
    if ours:
        raise ValueError(f"{', '.join(ours)} cannot be set here; leave it out")
    _check_plain(extra, DEEPEST)
    return extra


def _check_plain(value: Any, levels: int) -> None:
    """Refuse what could not be written as JSON everywhere."""
    if levels < 0:
        raise ValueError(f"must not be nested in more than {DEEPEST} levels")
    if isinstance(value, int) and value.bit_length() > 63:
        raise ValueError("must hold whole numbers of at most 64 bits")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"must hold finite numbers, not {value}")
    if type(value) not in PLAIN:
        raise ValueError(f"must hold what JSON has, no date or time such as {value}; write it as text")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_plain(item, levels - 1)


Positive = Annotated[float, Field(gt=0)]
Price = Annotated[float, Field(ge=0, le=1e6)]
BaseUrl = Annotated[str, AfterValidator(_check_url)]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=120)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Sampling(_Part):
    """What is sent with every call; null is not sent, so the server's own default holds."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None


class Limits(_Part):
    """What the account may ask of its server; null is no limit."""

    connections: Annotated[int, Field(ge=1, le=10_000)] = 8
    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None


class Timeouts(_Part):
    """Seconds; a call past its total is repeated as a fault of the infrastructure."""

    connect: Positive = 10.0
    read: Positive = 300.0
    total: Positive = 300.0


class Retries(_Part):
    """How often and how long a call that failed is tried again; waits in seconds, all of one call within `budget`."""

    attempts: Annotated[int, Field(ge=1, le=100)] = 8
    first: Positive = 1.0  # longest first wait; doubles with each attempt
    longest: Positive = 60.0
    budget: Positive = 900.0


class Prices(_Part):
    """USD per million tokens; null is unknown, which is not 0. `cache_write` is that of a prompt put into a cache."""

    input: Price | None = None
    cached: Price | None = None
    cache_write: Price | None = None
    output: Price | None = None
    reasoning: Price | None = None


class ModelEntry(_Part):
    """One model of the panel."""

    label: str
    base_url: BaseUrl
    model: Annotated[str, Field(min_length=1)]
    api_key_env: VariableName | None = None
    dialect: DialectName = "openai"
    quirks: Quirks = Quirks()
    policy: Literal["model", "http"] = "model"
    account: Annotated[str, Field(min_length=1)] | None = None
    response_format: Literal["json_schema", "json_object", "none"] = "none"
    reasoning_echo: Literal["auto", "echo", "drop"] = "auto"
    sampling: Sampling = Sampling()
    extra: Annotated[dict[str, Any], AfterValidator(_check_extra)] = {}
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    retries: Retries = Retries()
    prices: Prices = Prices()
    standin: bool = False

    @property
    def spec(self) -> PolicySpec:
        """The model as a policy of a line-up."""
        return PolicySpec(self.policy, self.label)

    @property
    def account_name(self) -> str:
        """What shares one rate limit: the account named, else address and key variable."""
        return self.account or f"{self.base_url} {self.api_key_env or '-'}"

    @cached_property
    def speaks(self) -> Dialect:
        """How its server is spoken to: the dialect with the quirks; a policy over HTTP has a dialect of its own."""
        name = "http" if self.policy == "http" else self.dialect
        return dialects()[name].with_quirks(self.quirks)

    @model_validator(mode="after")
    def _spoken(self) -> Self:
        dialect = dialects()[self.dialect]
        if self.response_format not in ("none", *dialect.formats):
            known = ", ".join((*dialect.formats, "none"))
            raise ValueError(f"response_format {self.response_format!r}: dialect {self.dialect!r} has {known}")
        unknown = [name for name in self.sampling.model_dump(exclude_none=True) if name not in dialect.sampling]
        if unknown:
            known = ", ".join(dialect.sampling)
            raise ValueError(f"sampling.{unknown[0]}: dialect {self.dialect!r} has {known}; leave it out")
        return self
