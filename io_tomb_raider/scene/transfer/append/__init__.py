"""Append of pieces of other files to a level, with their dependencies."""
