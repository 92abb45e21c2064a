"""Meshes of models and static meshes as mesh data, and functions for all faces."""
