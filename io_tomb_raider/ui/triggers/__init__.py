"""Triggers: operators, lines and panels."""
