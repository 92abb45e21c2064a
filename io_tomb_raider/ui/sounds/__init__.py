"""Sounds: operators, sound files, and panels."""
