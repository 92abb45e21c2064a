"""The documentation, and what makes the manual of it."""
