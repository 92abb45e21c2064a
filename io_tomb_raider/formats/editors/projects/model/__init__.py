"""The contents of projects, and their file (.prj2)."""
