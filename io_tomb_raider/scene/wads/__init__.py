"""Objects of the level editors: files of models that a level of the scene is written into."""
