"""Levels as Blender data-blocks: import, export and editing."""
