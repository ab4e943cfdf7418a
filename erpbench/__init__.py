"""The command line: imports every other package and is imported by none."""

__all__: list[str] = []
