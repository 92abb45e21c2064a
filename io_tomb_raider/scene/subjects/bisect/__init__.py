"""Faces that are cut: along the grid of sectors, and where their pictures repeat."""
