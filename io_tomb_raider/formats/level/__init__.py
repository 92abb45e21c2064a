"""Whole level files: which sections each game has, reading, writing, and what tools append (chapter 10)."""
