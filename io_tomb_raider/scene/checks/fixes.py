"""What mends a fault without anybody having to decide anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bpy.types import Collection, Mesh

from ...formats import ExportError
from .notes import culprits


class Fix(NamedTuple):
    """A safe fix.

    Attributes:
        label: what its button says.
        run: mends the fault of what has a name in a level, and raises ExportError where it cannot.
    """

    label: str
    run: Callable[[Collection, str], None]


def _flip_portal(root: Collection, subject: str) -> None:
    portal = next((each for each in culprits(root, subject) if each.tomb_raider.kind == "PORTAL"), None)
    if portal is None or not isinstance(portal.data, Mesh):
        raise ExportError(subject, "there is no such portal any more")
    portal.data.flip_normals()


FIXES = {"flip_portal": Fix("Flip", _flip_portal)}
