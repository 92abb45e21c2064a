"""Preferences: folders of games, import defaults, and engines."""
