"""Kits, script entries and water for new levels."""
