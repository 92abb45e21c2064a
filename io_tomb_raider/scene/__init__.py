"""Levels as Blender datablocks: one module per subject, each holding the way in and the way back."""
