"""Edits of a level written into the project that it was compiled from."""
