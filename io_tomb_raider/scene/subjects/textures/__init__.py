"""What faces show: pages, palettes, materials, and users' own pictures."""
