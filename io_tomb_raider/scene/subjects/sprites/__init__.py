"""Sprites: the library, sequences, and sprites of rooms."""
