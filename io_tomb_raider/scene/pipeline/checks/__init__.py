"""Check of a level in the scene, by an export without a file."""
