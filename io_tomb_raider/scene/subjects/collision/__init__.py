"""Collision of sectors as meshes."""
