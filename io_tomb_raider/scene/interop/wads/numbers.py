"""Numbers of objects in files."""

OWN = -1  # stands for an object's number in the scene
