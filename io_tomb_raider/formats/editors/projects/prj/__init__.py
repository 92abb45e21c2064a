"""Projects of the old level editor (.prj)."""
