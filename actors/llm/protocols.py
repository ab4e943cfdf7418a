"""Which protocol a model's server speaks: one function that encodes requests, one that reads replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from actors.llm import chat, messages, observed
from actors.llm.calls import Reply, StoredBody
from actors.llm.failures import Fault
from actors.llm.switches import Switches
from actors.llm.wire import Request
from ecologies.model_entry import ModelEntry


@dataclass(frozen=True)
class Protocol:
    """How requests are written and replies are read.

    Attributes:
        encode: request, model and switches to the body that its server takes.
        read: body, turn and provider to a reply, or to why it is none.
    """

    encode: Callable[[Request, ModelEntry, Switches], dict[str, Any]]
    read: Callable[[str, int, str], Reply | Fault]

    def stored(self, stored: StoredBody, turn: int) -> Reply | None:
        """The reply that a journaled answer stands for; None when it was none."""
        provider = stored.route.split("|", 2)[2] if stored.route.count("|") >= 2 else ""
        reply = self.read(stored.body, turn, provider)
        if isinstance(reply, Fault):
            return chat.filtered_reply(stored.body) if reply.error_class == "content_filter" else None
        return reply


PROTOCOLS: Final = {
    "chat": Protocol(chat.encode, chat.read_reply),
    "messages": Protocol(messages.encode, messages.read_reply),
    "observed": Protocol(observed.encode, observed.read_reply),
}


def protocol_of(entry: ModelEntry) -> Protocol:
    """The protocol of a model."""
    return PROTOCOLS[entry.speaks.protocol]
