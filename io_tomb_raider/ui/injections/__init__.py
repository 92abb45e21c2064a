"""Edits that TRX makes when it loads a level: the list, and injection files."""
