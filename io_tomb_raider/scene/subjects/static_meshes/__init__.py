"""Static meshes: the library and placements in rooms."""
