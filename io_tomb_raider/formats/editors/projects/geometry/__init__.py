"""Geometry of a project's rooms: openings, walls, faces."""
