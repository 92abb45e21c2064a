"""The tests: `formats` needs no Blender; `scene` and `ui` run in the module bpy."""
