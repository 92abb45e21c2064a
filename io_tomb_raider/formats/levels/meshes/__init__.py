"""Meshes (documentation, chapter 5)."""
