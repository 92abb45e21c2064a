"""Textures and sprites: pages, palettes, object textures (chapters 5.6, 9.2 to 9.4)."""
