"""Blender itself: its versions, colors, evaluated meshes, nodes."""
