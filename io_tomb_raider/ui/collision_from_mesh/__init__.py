"""Collision from meshes: tools and what they tell."""
