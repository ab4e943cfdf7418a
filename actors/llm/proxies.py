"""Which proxy a URL goes through: only on request, by the usual variables, and never for loopback."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Proxy for a URL under the variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in either case.

    An empty `environment` is no proxy at all. A host of the loopback is always reached directly.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if not host or is_loopback(host) or _is_exempt(host, _variable("no_proxy", environment)):
        return None
    proxy = _variable(f"{parts.scheme}_proxy", environment) or _variable("all_proxy", environment)
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine's loopback."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(host: str, exempt: str) -> bool:
    names = [name.strip().lower().lstrip(".").split(":")[0] for name in exempt.split(",")]
    return any(name in ("*", host) or host.endswith(f".{name}") for name in names if name)


def _variable(name: str, environment: Mapping[str, str]) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""
