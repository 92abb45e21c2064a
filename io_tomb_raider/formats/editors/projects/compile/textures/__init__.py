"""Pages and textures of compiled projects."""
