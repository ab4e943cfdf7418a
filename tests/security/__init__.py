"""Attacks on a run by what it reads: files, models, servers; nothing of them is obeyed, and no key is written."""
