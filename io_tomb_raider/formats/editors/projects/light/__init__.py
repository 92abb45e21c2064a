"""Light of a project's rooms."""
