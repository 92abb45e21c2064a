"""The texture brush: tiles on faces, in the 3D view."""
