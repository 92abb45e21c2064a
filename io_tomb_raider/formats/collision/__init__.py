"""What sectors are to those who walk on them: heights, walls, ways and marks (chapters 3.2.3 and 4.4)."""
