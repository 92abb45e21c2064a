"""Names of new objects: like those of imported ones, with the next free number."""

from __future__ import annotations

import re
from collections.abc import Container

from bpy.types import Collection, Object

from ...catalogue import Catalogue
from .membership import LevelObjects
from .subjects import Kind

_SUFFIX = re.compile(r"\.\d{3,}$")  # of Blender's copies
_NUMBER = re.compile(r"(\d+)\)?$")
_IN_CAMERA_TABLE = (Kind.CAMERA, Kind.SINK)


def name_new(root: Collection, obj: Object, base: str, kind: str) -> None:
    """Name a new object of a level, and its data if nothing else uses that.

    Args:
        base: the name without a number; that of a room is always ``Room``.
        kind: its kind, which it may not have yet.
    """
    kinds: Container[str] = _IN_CAMERA_TABLE if kind in _IN_CAMERA_TABLE else (kind,)
    others = (each for each in LevelObjects(root).of(kinds) if each != obj)
    number = 1 + max(map(_number, others), default=-1)
    obj.name = f"Room {number:03}" if kind == Kind.ROOM else Catalogue.numbered(base, number)
    if obj.data is not None and obj.data.users == 1:
        obj.data.name = obj.name


def _number(obj: Object) -> int:
    """Return the number of an imported object, or that at the end of a name, or -1."""
    settings = obj.tomb_raider
    match = _NUMBER.search(_SUFFIX.sub("", obj.name))
    number_in_name = int(match[1]) if match is not None and len(match[1]) < 6 else -1
    return number_in_name if settings.is_copy else max(int(settings.index), number_in_name)
