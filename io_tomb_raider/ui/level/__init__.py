"""Levels as a whole: import, export, tools and panels."""
