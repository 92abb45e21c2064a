"""Upgrade to version 4: levels have uids, shared by their objects and actions.

Tints of placed static meshes have red and blue in the games' order, and zones of TR2 and TR3 are named by
steps (documentation, chapters 3.2.5 and 7.3). Materials show the sides and the light that are exported.
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
# Old and new numbers of the zones of TR2 and TR3.
_ZONES = {10: 0, 11: 1, 12: 3, 13: 4, 14: 14}
_PAGE = 1  # the kind of materials that show a texture page


def upgrade(root: Collection) -> None:
    """Assign a level uid, show what is exported, swap red and blue of tints, rename zones."""
    _assign_uid(root)
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


def _assign_uid(root: Collection) -> None:
    """Assign a uid to a level, its objects, their meshes, and the actions of its models.

    Copies of a level in one file, each with its own root, become separate levels.
    """
    number = SystemRandom().randint(1, _MOST)
    storing(root)["origin"] = number
    objects = objects_of(root)
    for obj in objects:
        storing(obj)["origin"] = number
        if obj.data is not None and obj.type == "MESH":
            storing(obj.data)["origin"] = number
    _remove_fake_users(objects)
    models = set(objects)
    for action in bpy.data.actions:
        if stored(action).get("model") in models:
            storing(action)["origin"] = number


def _remove_fake_users(objects: Iterable[Object]) -> None:
    """Remove the fake users of actions, which outlived their level by them."""
    for obj in objects:
        for row in stored(obj).get("model", {}).get("animations", ()):
            action = row.get("action")
            if action is not None:
                action.use_fake_user = False


def _show(objects: list[Object]) -> None:
    """Make Blender show the sides of faces and the light that were exported, since exports now follow these.

    Materials had their own setting for both sides, and their nodes named the color attribute *Color*.
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
