"""Rooms: meshes, numbers, parts, and which room a thing is in."""
