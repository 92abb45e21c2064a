"""Adoption of objects that users add with Blender's own tools.

Every object, data-block and setting of a level is either exported, or named in a warning with the reason and
a remedy.
"""
