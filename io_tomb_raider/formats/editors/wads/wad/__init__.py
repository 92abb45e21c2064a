"""The level editor's object files: WAD, and its companion files."""
