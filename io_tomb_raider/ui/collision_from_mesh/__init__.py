"""Collision from meshes: operators and reports."""
