"""Sky of a level: horizon and clouds around the camera."""
