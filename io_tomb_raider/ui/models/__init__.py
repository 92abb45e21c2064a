"""Models: operators and panels."""
