"""What the values of one game are in another one, subject by subject."""
