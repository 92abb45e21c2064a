"""Collision that is read from the mesh of a room, by vertical rays."""
