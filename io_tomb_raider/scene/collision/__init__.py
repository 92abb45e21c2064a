"""Sectors as collision meshes."""
