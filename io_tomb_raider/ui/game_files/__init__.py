"""Files beside the levels: scripts, strings and pictures."""
