"""Faces and the object textures that they show."""
