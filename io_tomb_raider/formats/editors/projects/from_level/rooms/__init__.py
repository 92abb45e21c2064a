"""Rooms of projects made from levels."""
