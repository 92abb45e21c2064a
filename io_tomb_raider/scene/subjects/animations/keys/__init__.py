"""Keys and the ticks that they stand for."""
