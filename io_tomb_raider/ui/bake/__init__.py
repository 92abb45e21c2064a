"""Bake Light: operator and panel."""
