"""What users add to a level: the choice of what it has, where it is put, and the objects themselves."""
