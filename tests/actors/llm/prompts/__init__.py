"""Tests of `actors/llm/prompts`."""
