"""Rooms: meshes, numbers, parts, and which room an object is in."""
