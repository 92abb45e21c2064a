"""Tests of io_tomb_raider.scene, which run in Blender."""

import bpy  # noqa: F401  bmesh cannot be imported before it
