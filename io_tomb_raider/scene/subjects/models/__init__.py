"""Models as armatures with rigid meshes."""
