"""Lara's armature of a sample level in pose mode, and her animations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.blender import compat
from tests.scene.rig_tools import armature, show_library

from ..user_actions import import_sample

RUN, WALK, RUN_START, STAND = 0, 1, 6, 11


def posing(folder: Path, game: Game = Game.TR1, number: int = RUN, frame: int = 10) -> tuple[Any, Any]:
    """Import a sample, and pose Lara's armature at a frame; return the level and the armature."""
    root = import_sample(folder, game)
    rig = armature(root)
    show_library(root)
    compat.assign_action(rig, own(rig)[number])
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    return root, rig


def own(rig: Any) -> list[Action]:
    found = [action for action in bpy.data.actions if action.tomb_raider.model == rig]
    return sorted(found, key=lambda action: (action.tomb_raider.index < 0, action.tomb_raider.index))


def in_use(rig: Any) -> Action:
    found: Action = rig.animation_data.action
    return found
