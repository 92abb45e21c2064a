"""The versions of levels' data, and the upgrade to the current version."""

from __future__ import annotations

import bpy
from bpy.types import Collection

from ...formats import ExportError
from ...formats.base import T, Text
from . import to_6

_OLDEST = 5  # versions before it were never released, so their steps were removed
# In order: the first step starts from the oldest version.
_STEPS = (to_6.upgrade,)
DATA_VERSION = _OLDEST + len(_STEPS)


def upgrade_all() -> None:
    """Upgrade every level of the open file that can be upgraded.

    Linked levels belong to other files and stay.
    """
    for root in bpy.data.collections:
        if root.tomb_raider.kind == "LEVEL" and root.library is None and _obstacle(root) is None:
            upgrade(root)


def upgrade(root: Collection) -> None:
    """Upgrade a level's data to the current version.

    Raises:
        ExportError: if a newer version of the extension made the level, or one that was never released.
    """
    obstacle = _obstacle(root)
    if obstacle is not None:
        raise ExportError(root.name, obstacle)
    for version in range(root.tomb_raider.data_version, DATA_VERSION):
        _STEPS[version - _OLDEST](root)
        root.tomb_raider.data_version = version + 1


def _obstacle(root: Collection) -> Text | None:
    """Return why a level cannot be upgraded, or None."""
    if root.tomb_raider.data_version > DATA_VERSION:
        return T("a newer version of the extension made this level: update the extension")
    if root.tomb_raider.data_version < _OLDEST:
        return T("a version before the first release made this level: import it again")
    return None
