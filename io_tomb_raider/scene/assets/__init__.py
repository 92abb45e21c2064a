"""Asset libraries: objects of levels as Blender assets."""
