"""What faces show: pages, palettes, materials, animated textures, and users' own pictures."""
