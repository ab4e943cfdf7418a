"""`erpbench standin`: the stand-in model server by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from erpbench import options


def standin(
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 for any that is free.")] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Every answer depends on it.")] = 0,
    delay: options.Delay = None,
    fault: options.Faults = None,
) -> None:
    """Serve the six stand-in models on this machine until Ctrl-C.

    The first line says the port. GET /stats gives the server's own count of its replies and of the faults it played.
    """
    import asyncio

    from actors.llm.standin import StandinOptions, serve
    from actors.llm.standin_faults import read_faults

    asyncio.run(serve(StandinOptions(seed, delay, read_faults(fault or [])), port))
