"""Lara in Pose Mode, as users of a control rig have her."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action

from io_tomb_raider.formats import Game
from tests.scene.scenes import objects

from ..user_actions import import_sample

FINISHED = {"FINISHED"}


def posing(folder: Path, game: Game = Game.TR1) -> tuple[Any, Any, list[Action]]:
    """Import a sample, and go to pose mode on Lara, who runs."""
    return pose_lara(import_sample(folder, game))


def pose_lara(root: Any) -> tuple[Any, Any, list[Action]]:
    """Go to pose mode on a level's Lara, in her first animation."""
    rig = objects(root, "MODEL")[0]
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    own = sorted(
        (action for action in bpy.data.actions if action.tomb_raider.model == rig),
        key=lambda action: action.tomb_raider.index,
    )
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    rig.animation_data.action = own[0]
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    return root, rig, own


def select(rig: Any, name: str) -> None:
    bone = rig.pose.bones[name]
    if hasattr(bone, "select"):
        bone.select = True
    else:
        bone.bone.select = True
