"""Who plays whom on which problem, and the reference play without Ray."""

__all__: list[str] = []
