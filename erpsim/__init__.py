"""Pure simulation of the six manufacturers: frozen data in, new frozen data out."""

__all__: list[str] = []
