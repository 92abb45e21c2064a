"""Files other than levels: scripts, strings and pictures."""
