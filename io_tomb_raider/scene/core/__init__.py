"""What all subjects share: contexts, the original, units, colors, reports, and Blender's versions."""
