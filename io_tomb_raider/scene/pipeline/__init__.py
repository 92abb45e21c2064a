"""Import, export and check of a whole level: the subjects in their order."""
