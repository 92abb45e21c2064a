"""Levels that come from no file."""
