"""Add > Tomb Raider."""
