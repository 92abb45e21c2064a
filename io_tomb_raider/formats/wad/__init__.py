"""The level editor's object files: WAD, and what belongs to one."""
