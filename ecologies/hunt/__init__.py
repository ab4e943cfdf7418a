"""A search for plays that win by a trick of the rules instead of by management, and a name and a price for each."""

__all__: list[str] = []
