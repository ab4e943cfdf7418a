"""One attempt at a model's server: what is sent, and what came back, with every foreign error turned into a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import aiohttp

from actors.llm.backoff import retry_after_s
from actors.llm.calls import Reply
from actors.llm.failures import MESSAGE_CHARACTERS, Fault, read_error
from actors.llm.keys import Keys
from actors.llm.proxies import proxy_for
from actors.llm.wire import Request, filtered_reply, read_reply
from ecologies.models import ModelEntry

PATH = "/chat/completions"
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


async def exchange(line: Line, entry: ModelEntry, request: Request, turn: int, now: datetime) -> Exchange:
    """Send a request once and read what comes; never raises for anything that the network or the server does."""
    url = entry.base_url + PATH
    limits = entry.timeouts
    timeout = aiohttp.ClientTimeout(total=limits.total, sock_connect=limits.connect, sock_read=limits.read)
    try:
        async with line.session.post(
            url,
            data=request.body,
            headers=_headers(line.keys, entry),
            timeout=timeout,
            proxy=proxy_for(url, line.proxies),
            allow_redirects=False,  # a redirected POST loses its body and may take the key elsewhere
        ) as response:
            body = line.keys.hide((await response.read()).decode("utf-8", errors="replace"))
            return _answered(response, body, turn, now)
    except TimeoutError as error:
        return Exchange(Fault("timeout", f"{type(error).__name__} after at most {limits.total:g} s"))
    except aiohttp.ServerDisconnectedError as error:
        return Exchange(_unreached(line.keys, error), disconnected=True)
    except aiohttp.ClientPayloadError as error:
        return Exchange(Fault("broken_body", line.keys.hide(f"the body broke off: {error}")[:MESSAGE_CHARACTERS]))
    except (aiohttp.ClientError, OSError) as error:
        return Exchange(_unreached(line.keys, error))


def _headers(keys: Keys, entry: ModelEntry) -> dict[str, str]:
    key = keys.get(entry.api_key_env) if entry.api_key_env else None
    return {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})


def _answered(response: aiohttp.ClientResponse, body: str, turn: int, now: datetime) -> Exchange:
    status = response.status
    asked_s = retry_after_s(response.headers.get("Retry-After"), now)
    if not response.ok or status >= 300:
        fault = read_error(status, body)
        filtered = fault.error_class == "content_filter"
        return Exchange(filtered_reply(body) if filtered else fault, status, asked_s, body)
    if response.content_type == "text/html":
        return Exchange(Fault("html_body", body[:MESSAGE_CHARACTERS]), status, asked_s, body)
    provider = next((response.headers[name] for name in PROVIDER_HEADERS if name in response.headers), "")
    return Exchange(read_reply(body, turn, provider), status, asked_s, body)


def _unreached(keys: Keys, error: Exception) -> Fault:
    return Fault("network", keys.hide(f"{type(error).__name__}: {error}")[:MESSAGE_CHARACTERS])
