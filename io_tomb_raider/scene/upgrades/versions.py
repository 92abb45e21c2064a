"""Scenes that older versions of the extension made, brought up to date, one small step per version."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.types import Collection

from ...formats import ExportError, FormatError
from ..animations.settings import import_lists
from ..base import original
from ..base.members import members
from ..base.order import ordered

DATA_VERSION = 3


def upgrade_all() -> None:
    """Upgrade every level of the file that is open. Linked ones belong to other files and stay."""
    for root in bpy.data.collections:
        if root.tomb_raider.kind == "LEVEL" and root.library is None and not is_from_the_future(root):
            upgrade(root)


def upgrade(root: Collection) -> None:
    """Upgrade a level's data to what this version of the extension understands.

    Raises:
        ExportError: where a newer version of the extension has made the level.
    """
    if is_from_the_future(root):
        raise ExportError(root.name, "a newer version of the extension has made this level: please update")
    for version in range(root.tomb_raider.data_version, DATA_VERSION):
        _STEPS[version](root)
        root.tomb_raider.data_version = version + 1


def is_from_the_future(root: Collection) -> bool:
    """Tell whether a newer version of the extension has made a level."""
    return bool(root.tomb_raider.data_version > DATA_VERSION)


# --- The steps ------------------------------------------------------------------------------------


_SUBJECT_OF = {
    "STATIC_MESH": "STATIC_MESHES",
    "PLACEMENT": "PLACEMENTS",
    "LIGHT": "LIGHTS",
    "SPRITE": "SPRITES",
    "SPRITE_TEXTURE": "SPRITES",
    "ENTITY": "ENTITIES",
    "MODEL": "MODELS",
}


def _note_what_was_imported(root: Collection) -> None:
    """Version 0 did not say which subjects stand in the scene: those of which there is anything."""
    kinds = {thing.tomb_raider.kind for thing in members(root)}
    root.tomb_raider.imported |= {subject for kind, subject in _SUBJECT_OF.items() if kind in kinds}
    models = {thing for thing in members(root) if thing.tomb_raider.kind == "MODEL"}
    if any(action.tomb_raider.model in models for action in bpy.data.actions):
        root.tomb_raider.imported |= {"ANIMATIONS"}


def _note_that_rooms_were_imported(root: Collection) -> None:
    """Version 1 kept rooms that were missing: since then they count as deleted, where any stands."""
    if any(thing.tomb_raider.kind == "ROOM" for thing in members(root)):
        root.tomb_raider.imported |= {"ROOMS"}


def _bring_lists_of_animations(root: Collection) -> None:
    """Version 2 left state changes, and commands without a frame, to the original."""
    try:
        decoded = original.load(root)
    except FormatError:  # which an export reports
        return
    models = {thing for thing in members(root) if thing.tomb_raider.kind == "MODEL"}
    actions = ordered(action for action in bpy.data.actions if action.tomb_raider.model in models)
    if decoded is not None:
        targets = {index: action for action, index in actions if index >= 0}
        import_lists(decoded.level, [(each, each.tomb_raider.index) for each, _ in actions], targets)


# By the version that a step starts from.
_STEPS: dict[int, Callable[[Collection], None]] = {
    0: _note_what_was_imported,
    1: _note_that_rooms_were_imported,
    2: _bring_lists_of_animations,
}
