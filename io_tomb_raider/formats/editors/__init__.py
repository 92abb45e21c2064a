"""Files of level editors: object files, projects, single animations."""
