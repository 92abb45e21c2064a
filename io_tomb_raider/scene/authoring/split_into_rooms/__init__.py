"""Splitting of large meshes and whole scenes into rooms that the games can hold."""
