"""Tests of the written pages: their code runs, their files are read, their lists are complete."""
