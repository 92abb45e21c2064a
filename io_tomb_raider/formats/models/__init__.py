"""Models: how their meshes hang together, and what space they take (chapters 5.4 and 6.2)."""
