"""Exchange of models, static meshes and rooms with other programs."""
