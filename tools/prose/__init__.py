"""Spelling and style of texts for users: pages of the documentation and texts of the interface."""
