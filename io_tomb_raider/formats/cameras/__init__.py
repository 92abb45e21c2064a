"""Fixed cameras and sinks, and what cameras do as the game flies them (documentation, chapters 9.5, 9.6)."""
