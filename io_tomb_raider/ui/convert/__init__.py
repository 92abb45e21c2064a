"""The operator that makes a level one of another game."""
