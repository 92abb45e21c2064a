"""Add > Tomb Raider: new objects."""
