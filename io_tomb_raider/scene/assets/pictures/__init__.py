"""Pictures of a level, rendered without a window."""
