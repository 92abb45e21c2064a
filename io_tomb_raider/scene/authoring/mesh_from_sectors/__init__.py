"""Rooms that are drawn from their sectors."""
