"""Shared by all subjects: contexts, the original, units, colors, reports, and Blender's versions."""
