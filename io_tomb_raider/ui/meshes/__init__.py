"""Meshes: panel."""
