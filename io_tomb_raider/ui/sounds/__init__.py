"""Sounds: operators, files full of them, and panels."""
