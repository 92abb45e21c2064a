"""What meshes and rooms should not be larger than. Blender's start loads this, so it stands apart."""

# What the buffers of the oldest engines hold of a room or mesh; painted light never makes it more.
MOST_SPLIT = 1500
