"""Panels of static meshes."""
