"""Object files of level editors."""
