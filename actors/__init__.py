"""The run on Ray: firms, markets and audit as actors, and the only code that talks to models."""

__all__: list[str] = []
