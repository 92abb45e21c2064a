"""Limits of meshes and rooms, in a separate module because Blender's start loads them."""

# Size of the oldest engines' buffers for a room or mesh; splitting for painted light stays below it.
MOST_SPLIT = 1500
