"""Tests of `actors/llm`."""
