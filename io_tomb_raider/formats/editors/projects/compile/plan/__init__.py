"""Resources, paths and slots of a project, before its rooms are compiled."""
