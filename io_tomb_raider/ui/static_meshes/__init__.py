"""Static meshes: panels."""
