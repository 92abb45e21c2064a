"""Exchange with other programs: operators."""
