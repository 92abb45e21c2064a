"""Sprites: the library, sequences, and those that stand in rooms."""
