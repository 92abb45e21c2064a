"""Fixed cameras, sinks, and the flight of flyby cameras (documentation, chapters 9.5, 9.6)."""
