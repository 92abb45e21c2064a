"""The room in which something is."""
