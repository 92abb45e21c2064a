"""Triggers, shown as boxes on their sectors."""
