"""Libraries: pieces of levels as assets of Blender: marked, carried elsewhere, made of whole games."""
