"""Object files of level editors, which models of a level are written to."""

OWN = -1  # stands for an object's number in the scene
