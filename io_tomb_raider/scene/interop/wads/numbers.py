"""Numbers of objects in files. Operators declare them, so this module loads nothing when Blender starts."""

OWN = -1  # stands for an object's number in the scene
