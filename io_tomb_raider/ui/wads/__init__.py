"""Objects of the level editors: operators that put a model or an animation into an existing file."""
