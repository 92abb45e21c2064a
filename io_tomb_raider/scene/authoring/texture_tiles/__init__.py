"""Textures of faces by tiles: rectangles of pictures that users put on faces."""
