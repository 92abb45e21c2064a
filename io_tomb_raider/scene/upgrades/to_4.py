"""To version 4: a level has a number of its own, its objects know whose they are, and actions go with it.

Tints of placed static meshes have red where the games do, and zones of TR2 and TR3 are called by steps
(documentation, chapters 3.2.5 and 7.3). Materials show the sides and the light that are written.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import SystemRandom
from typing import Any

import bpy
from bpy.types import Collection, Object

from .stored import kind_of, objects_of, stored, storing

_MOST = (1 << 31) - 1
_PLACEMENT, _BOXES = 5, 20
_TR2, _TR3 = 2, 3
# Kinds of zones of TR2 and TR3: the numbers that they had, and those that they have now.
_ZONES = {10: 0, 11: 1, 12: 3, 13: 4, 14: 14}
_PAGE = 1  # the kind of a material that shows a texture page


def upgrade(root: Collection) -> None:
    """Assign objects to levels, show what is exported, swap red and blue of tints, rename zones."""
    _stamp(root)
    _show(objects_of(root))
    game = stored(root).get("game", 0)
    for obj in objects_of(root):
        if kind_of(obj) == _PLACEMENT:
            _exchange_red_and_blue(obj)
        elif kind_of(obj) == _BOXES and game in (_TR2, _TR3):
            _rename_zones(obj)


def _exchange_red_and_blue(obj: Object) -> None:
    if "color" in (stored(obj).get("placement") or {}):
        color = storing(obj)["placement"]["color"]
        color[0], color[2] = color[2], color[0]


def _rename_zones(obj: Object) -> None:
    boxes = stored(obj).get("boxes")
    if boxes is not None:
        storing(obj)["boxes"]["zones"] = _ZONES.get(boxes.get("zones", 0), 0)


def _stamp(root: Collection) -> None:
    """Give a level a number, and its objects, their meshes and its models' actions with it.

    Copies of one level's scene in a file, each with its own root, come to be levels of their own.
    """
    number = SystemRandom().randint(1, _MOST)
    storing(root)["origin"] = number
    objects = objects_of(root)
    for obj in objects:
        storing(obj)["origin"] = number
        if obj.data is not None and obj.type == "MESH":
            storing(obj.data)["origin"] = number
    _let_go(objects)
    models = set(objects)
    for action in bpy.data.actions:
        if stored(action).get("model") in models:
            storing(action)["origin"] = number


def _let_go(objects: Iterable[Object]) -> None:
    """Take the fake users from actions that their models hold: with those they outlived their level."""
    for obj in objects:
        for row in stored(obj).get("model", {}).get("animations", ()):
            action = row.get("action")
            if action is not None:
                action.use_fake_user = False


def _show(objects: list[Object]) -> None:
    """Let Blender show the sides of faces and the light that were written: from now on, what it shows counts.

    Materials had a setting of their own for both sides, and showed the color attribute *Color* by its name.
    """
    for material in {slot.material for obj in objects for slot in obj.material_slots}:
        settings = {} if material is None else stored(material)
        if material is not None and settings.get("kind", 0) == _PAGE and material.library is None:
            material.use_backface_culling = not settings.get("double_sided", False)
    for tree in bpy.data.node_groups:
        nodes: Iterable[Any] = tree.nodes if tree.name.startswith("Tomb Raider Surface") else ()
        for node in nodes:
            if node.bl_idname == "ShaderNodeVertexColor" and tree.library is None:
                node.layer_name = ""
