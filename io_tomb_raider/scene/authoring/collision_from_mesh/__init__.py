"""Collision from mesh: sectors of a room from its mesh, by vertical rays."""
