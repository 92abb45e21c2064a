"""Patches between two levels."""
