"""Texture pages, palettes, materials, and users' pictures."""
