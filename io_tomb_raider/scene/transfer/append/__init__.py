"""Pieces of other files in a level: chosen by name, and brought with all that they need."""
