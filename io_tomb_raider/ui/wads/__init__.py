"""Objects of the level editors: putting a model or an animation into a file that exists."""
