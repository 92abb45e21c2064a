"""Views of animations: ghosts, tick preview, treadmill, and the graph of a model's states."""
