"""Light that is worked out for vertices of rooms and for placed static meshes."""
