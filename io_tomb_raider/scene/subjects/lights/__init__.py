"""Lights of rooms."""
