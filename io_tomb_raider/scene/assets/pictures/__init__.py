"""Pictures of a level, drawn without a window."""
