"""Conversion of values to another game, subject by subject."""
