"""Lights of rooms (documentation, chapter 3.2.4)."""
