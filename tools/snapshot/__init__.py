"""A snapshot of what the project writes and shows, to compare before and after a change of its structure."""
