"""Settings and names of a whole level."""
