"""Objects of the level editors: files of models that a level of the scene is written into."""

OWN = -1  # the number that something has in the scene
