"""Assets of Blender made of pieces of levels."""
