"""Baking of light into vertices of rooms, and into placed static meshes."""
