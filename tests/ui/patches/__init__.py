"""Export and import of patches in Blender."""
