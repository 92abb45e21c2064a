"""What a level is as a whole: its settings and names."""
