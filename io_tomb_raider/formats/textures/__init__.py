"""Textures and sprites: pages, palettes, what faces show of them (chapters 5.6, 9.2 to 9.4)."""
