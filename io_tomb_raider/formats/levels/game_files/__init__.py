"""Scripts and strings of the games (documentation, chapters 11 and 12), as data and as text."""
