"""Export and import of patches."""
