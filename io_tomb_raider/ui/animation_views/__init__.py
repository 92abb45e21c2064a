"""User interface of views of animations: overlays, and state changes by keys."""
