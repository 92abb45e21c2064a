"""The versions of levels' data, and the upgrade to the current version."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import Action, Collection, Object

from ...formats import ExportError
from ...formats.base import T
from . import to_1, to_2, to_3, to_4, to_5, to_6

# By the version that a step starts from.
_STEPS = (to_1.upgrade, to_2.upgrade, to_3.upgrade, to_4.upgrade, to_5.upgrade, to_6.upgrade)
DATA_VERSION = len(_STEPS)


def upgrade_all() -> None:
    """Upgrade every level of the open file. Linked levels belong to other files and stay."""
    for root in bpy.data.collections:
        if root.tomb_raider.kind == "LEVEL" and root.library is None and not has_newer_data(root):
            upgrade(root)


def upgrade(root: Collection) -> None:
    """Upgrade a level's data to the current version.

    Raises:
        ExportError: if a newer version of the extension made the level.
    """
    if has_newer_data(root):
        raise ExportError(
            root.name, T("a newer version of the extension made this level: update the extension")
        )
    for version in range(max(root.tomb_raider.data_version, 0), DATA_VERSION):
        _STEPS[version](root)
        root.tomb_raider.data_version = version + 1


def upgrade_actions(model: Object, actions: Iterable[Action]) -> None:
    """Upgrade the actions of a model that may have come without its level, as assets do."""
    to_5.replace_pointers(model, actions)


def has_newer_data(root: Collection) -> bool:
    """Return whether a newer version of the extension made a level."""
    return bool(root.tomb_raider.data_version > DATA_VERSION)
