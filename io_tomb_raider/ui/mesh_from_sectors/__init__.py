"""Rooms that are drawn from their sectors: tools, settings, and when they follow."""
