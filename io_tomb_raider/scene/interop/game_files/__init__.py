"""Files next to levels: scripts, strings and images."""
