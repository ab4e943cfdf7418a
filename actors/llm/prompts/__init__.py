"""The prompts: plain text files, and the code that fills them."""

__all__: list[str] = []
