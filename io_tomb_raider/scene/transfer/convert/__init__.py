"""Conversion of a level of the scene to another game."""
