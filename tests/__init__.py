"""Tests. Those of `formats` need no Blender; those of `scene` and `ui` run in the bpy module."""
