"""Compiling projects of level editors to levels."""
