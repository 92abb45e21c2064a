"""The origin of a compiled level's parts as a file, stored with a scene until its project is saved."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from ....base.errors import FormatError
from ..compile.compiled import Origin
from ..compile.rooms.imported import ImportedFaces

_LISTS = ("rooms", "entities", "ai_objects", "cameras", "flybys", "sounds", "animations")
_NESTED = ("statics", "lights")
_AREA = 8  # numbers of each area
_SUBJECT = "the origin of a project"


def pack_origin(origin: Origin) -> bytes:
    """Return the origin of a level's parts as bytes; without that of single faces."""
    values: dict[str, Any] = {name: list(map(int, getattr(origin, name))) for name in _LISTS}
    values |= {name: [list(map(int, each)) for each in getattr(origin, name)] for name in _NESTED}
    values["triggers"] = [
        [[*map(int, cell), *map(int, numbers)] for cell, numbers in each.items()] for each in origin.triggers
    ]
    values["imported"] = [[list(map(int, row)) for row in each] for each in origin.imported]
    values["areas"] = np.asarray(origin.areas, np.int64).reshape(-1, _AREA).tolist()
    return zlib.compress(json.dumps(values, separators=(",", ":")).encode())


def unpack_origin(content: bytes) -> Origin:
    """Return what :func:`pack_origin` packed. Raises FormatError if it is damaged."""
    try:
        values = json.loads(zlib.decompress(content))
        origin = Origin()
        for name in _LISTS:
            setattr(origin, name, list(map(int, values[name])))
        for name in _NESTED:
            setattr(origin, name, [list(map(int, each)) for each in values[name]])
        origin.triggers = [
            {(int(row[0]), int(row[1])): tuple(map(int, row[2:])) for row in each}
            for each in values["triggers"]
        ]
        # Earlier versions left it in the meshes of rooms.
        origin.imported = [
            [ImportedFaces(*map(int, row)) for row in each] for each in values.get("imported", ())
        ]
        origin.areas = np.array(values["areas"], np.int64).reshape(-1, _AREA)
    except (zlib.error, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise FormatError(_SUBJECT, "lists of numbers", type(error).__name__) from None
    return origin
