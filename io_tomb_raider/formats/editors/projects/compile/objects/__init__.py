"""Models, static meshes, sprites and entities of compiled projects."""
