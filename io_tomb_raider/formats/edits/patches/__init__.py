"""Patches: the difference between two levels as a text, and its application."""
