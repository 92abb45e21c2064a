"""Texture regions: the part of a page that a face shows, the faces that show it, and its replacement."""
