"""The sky of a level, as the game draws it around the camera."""
