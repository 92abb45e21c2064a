"""Triggers as boxes on their sectors."""
