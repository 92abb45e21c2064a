"""Projects of level editors."""
