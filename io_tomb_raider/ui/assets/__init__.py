"""Blender assets made of pieces of levels."""
