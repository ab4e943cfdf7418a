"""One attempt at a model's server: what is sent, and what came back, with every foreign error turned into a class."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import aiohttp

from actors.llm.backoff import asked_to_wait_s
from actors.llm.calls import Reply
from actors.llm.chat import filtered_reply
from actors.llm.error_body import retry_delay_s
from actors.llm.failures import MESSAGE_CHARACTERS, Fault, read_error
from actors.llm.keys import Keys
from actors.llm.protocols import protocol_of
from actors.llm.proxies import proxy_for
from ecologies.model_entry import ModelEntry

LONGEST_BODY: Final = 32 * 2**20
"""Bytes of an answer beyond which it is not read on."""
LARGE_REQUEST: Final = 200_000
"""Bytes of a request whose refusal without a word is taken for one of its length."""
_PIECE: Final = 2**16
_CLOSED: Final = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ESHUTDOWN})
PROVIDER_HEADERS = ("x-provider", "openrouter-provider", "x-served-by")
"""Headers in which routers name the provider that answered."""


@dataclass(frozen=True)
class Exchange:
    """What one attempt met; texts come with every key hidden."""

    outcome: Reply | Fault
    status: int | None = None  # None when no answer came
    retry_after_s: float | None = None
    body: str = ""
    disconnected: bool = False  # on a pooled connection that the server had closed already, as a rule


@dataclass(frozen=True)
class Line:
    """How to reach servers from this process: session, keys, and the variables that name proxies."""

    session: aiohttp.ClientSession
    keys: Keys
    proxies: Mapping[str, str]


async def exchange(line: Line, entry: ModelEntry, body: bytes, turn: int, now: datetime) -> Exchange:
    """Send a request once and read what comes; never raises for anything that the network or the server does."""
    url = address_of(entry)
    limits = entry.timeouts
    timeout = aiohttp.ClientTimeout(total=limits.total, sock_connect=limits.connect, sock_read=limits.read)
    try:
        async with line.session.post(
            url,
            data=body,
            headers=_headers(line.keys, entry),
            timeout=timeout,
            proxy=proxy_for(url, line.proxies),
            allow_redirects=False,  # a redirected POST loses its body and may take the key elsewhere
        ) as response:
            answer = line.keys.hide((await _read(response)).decode("utf-8-sig", errors="replace"))
            return _judged(_answered(response, line.keys, entry, (answer, turn, now)), body)
    except TimeoutError as error:
        return Exchange(Fault("timeout", f"{type(error).__name__} after at most {limits.total:g} s"))
    except aiohttp.ServerDisconnectedError as error:
        return Exchange(_unreached(line.keys, error), disconnected=True)
    except aiohttp.ClientPayloadError as error:
        return Exchange(Fault("broken_body", _shown(line.keys, f"the body broke off: {error}")))
    except aiohttp.InvalidURL as error:
        return Exchange(Fault("bad_request", _shown(line.keys, f"no address of a server or a proxy: {error}")))
    except (aiohttp.ClientError, OSError) as error:
        closed = isinstance(error, OSError) and error.errno in _CLOSED
        return Exchange(_unreached(line.keys, error), disconnected=closed)


def address_of(entry: ModelEntry) -> str:
    """Where a model's requests go."""
    return entry.base_url + entry.speaks.path


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, or one byte more than may be read of it."""
    pieces: list[bytes] = []
    length = 0
    async for piece in response.content.iter_chunked(_PIECE):
        pieces.append(piece)
        length += len(piece)
        if length > LONGEST_BODY:
            response.close()
            break
    return b"".join(pieces)


def _headers(keys: Keys, entry: ModelEntry) -> dict[str, str]:
    dialect = entry.speaks
    key = keys.get(entry.api_key_env) if entry.api_key_env else None
    headers = {"Content-Type": "application/json", **dialect.headers}
    if key:
        headers[dialect.key_header] = dialect.key_prefix + key
    if not dialect.keep_connections:
        headers["Connection"] = "close"
    return headers


def _answered(
    response: aiohttp.ClientResponse, keys: Keys, entry: ModelEntry, circumstances: tuple[str, int, datetime]
) -> Exchange:
    body, turn, now = circumstances
    status = response.status
    asked_s = asked_to_wait_s(response.headers, now)
    if status != 200:
        fault = _error(status, body, keys.hide(response.headers.get("Location", "")), entry)
        filtered = fault.error_class == "content_filter"
        asked_s = retry_delay_s(body) if asked_s is None else asked_s
        return Exchange(filtered_reply(body) if filtered else fault, status, asked_s, body)
    if len(body) > LONGEST_BODY:
        return Exchange(Fault("broken_body", f"the body is longer than {LONGEST_BODY:,} bytes"), status, asked_s)
    provider = keys.hide(next((response.headers[name] for name in PROVIDER_HEADERS if name in response.headers), ""))
    outcome = protocol_of(entry).read(body, turn, provider)
    if isinstance(outcome, Fault) and outcome.error_class == "broken_body" and response.content_type == "text/html":
        outcome = replace(outcome, error_class="html_body")
    if isinstance(outcome, Fault) and outcome.words and asked_s is None:
        asked_s = retry_delay_s(body)  # of an error's own words; those of a model are no request to wait
    return Exchange(outcome, status, asked_s, body)


def _error(status: int, body: str, location: str, entry: ModelEntry) -> Fault:
    if 300 <= status < 400:
        return Fault("bad_request", f"{address_of(entry)} redirects to {location.partition('?')[0]}; set base_url")
    if 200 <= status < 300:
        return Fault("broken_body", f"status {status} is none of an answer")
    fault = read_error(status, body, entry.speaks.rate_words)
    if fault.error_class == "model_not_found":
        message = f"{address_of(entry)}, model {entry.model!r}: {fault.message}"
        return replace(fault, message=message[:MESSAGE_CHARACTERS])
    return fault


def _judged(met: Exchange, sent: bytes) -> Exchange:
    """A long request that is refused without a word is refused for its length."""
    fault = met.outcome
    silent = isinstance(fault, Fault) and fault.error_class == "bad_request" and not met.body.strip()
    if silent and len(sent) > LARGE_REQUEST:
        message = f"status {met.status} without a word on a request of {len(sent):,} bytes"
        return replace(met, outcome=Fault("context_overflow", message))
    return met


def _unreached(keys: Keys, error: Exception) -> Fault:
    return Fault("network", _shown(keys, f"{type(error).__name__}: {error}"))


def _shown(keys: Keys, text: str) -> str:
    """A foreign error's text without keys, and without the password that a proxy's address may hold."""
    return _PASSWORD.sub("://", keys.hide(text))[:MESSAGE_CHARACTERS]


_PASSWORD: Final = re.compile(r"://[^/@\s]*@")
