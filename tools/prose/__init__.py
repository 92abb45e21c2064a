"""Spelling and style of the documentation, the texts of the interface and the names of tests."""
