"""Conversion of a level to another game: operator."""
