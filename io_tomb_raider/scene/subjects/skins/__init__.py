"""Skins: meshes of whole models that bones bend."""
