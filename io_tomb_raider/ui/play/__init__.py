"""Playing a level in an engine."""
