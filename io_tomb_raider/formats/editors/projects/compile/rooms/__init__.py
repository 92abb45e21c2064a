"""Rooms of compiled projects: meshes, sectors, triggers."""
