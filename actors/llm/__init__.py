"""The only code that talks to models: shapes on the wire, client, governor, prompts, agent, and the stand-in server."""

__all__: list[str] = []
