"""Models, static meshes and rooms as meshes of other programs, and meshes of theirs as models."""
