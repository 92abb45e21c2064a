"""Rooms: meshes, portals, numbers, and which room a thing is in."""
