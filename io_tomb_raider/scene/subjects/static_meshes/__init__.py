"""Static meshes: the library, and what of it is placed in rooms."""
