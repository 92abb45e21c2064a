"""Panels of sprites."""
