"""Checks for problems that a level causes in its game: pure functions from levels to findings."""
