"""The panel of meshes."""
