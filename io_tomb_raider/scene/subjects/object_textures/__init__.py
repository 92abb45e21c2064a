"""Object textures of faces."""
