"""Repair of damaged levels."""
