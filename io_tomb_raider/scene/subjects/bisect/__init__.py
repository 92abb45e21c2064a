"""Bisection of faces: along the grid of sectors, and where their pictures repeat."""
