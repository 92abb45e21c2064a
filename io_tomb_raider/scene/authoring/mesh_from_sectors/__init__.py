"""Mesh from sectors: rooms whose meshes are drawn from their sectors."""
