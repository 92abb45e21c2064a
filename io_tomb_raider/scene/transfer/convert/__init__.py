"""A level of the scene as one of another game: its values in that game's words, and no file behind it."""
