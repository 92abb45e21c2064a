"""What the interface shows of the project that a level comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bpy.types import Collection

_KEY = "tr_project"


def is_project(root: Collection) -> bool:
    """Return whether a level comes from a project."""
    return root.get(_KEY) is not None


def store(root: Collection, values: Mapping[str, str]) -> None:
    """Store what is shown of a level's project, by label."""
    root[_KEY] = json.dumps(dict(values), ensure_ascii=False)


def details(root: Collection) -> dict[str, str]:
    """Return what is shown of a level's project, by label; empty for other levels, and if it is damaged."""
    stored = root.get(_KEY)
    try:
        values = json.loads(stored) if isinstance(stored, str) else {}
    except (ValueError, RecursionError):
        return {}
    return {str(label): str(value) for label, value in values.items()} if isinstance(values, dict) else {}
