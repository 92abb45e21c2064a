"""Collision of sectors: heights, walls, openings and marks (chapters 3.2.3 and 4.4)."""
