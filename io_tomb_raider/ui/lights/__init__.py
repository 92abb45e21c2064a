"""Lights: panel."""
