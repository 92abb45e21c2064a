"""New objects of a level: the available choices, their place, and the objects themselves."""
