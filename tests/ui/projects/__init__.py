"""Import and export of projects of level editors in Blender."""
