"""Whole level files: their sections by game, reading, writing, and the footer of tools (chapter 10)."""
