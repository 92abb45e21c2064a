"""What users set once for all levels: where games are, what an import does, and how levels are played."""
