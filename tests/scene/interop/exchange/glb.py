"""Files of other programs, read without Blender."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_PARTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A .glb file: ``json`` is its content, ``array`` returns the numbers of an accessor."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        (size,) = struct.unpack_from("<I", data, 12)
        self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
        self._binary = data[20 + size + 8 :]

    def names(self, kind: str) -> list[str]:
        """Return the names of all images, animations, nodes …"""
        return [each.get("name", "") for each in self.json.get(kind, [])]

    def array(self, accessor: int) -> NDArray[Any]:
        """Return the numbers of an accessor, (n, parts)."""
        known = self.json["accessors"][accessor]
        view = self.json["bufferViews"][known["bufferView"]]
        start = view.get("byteOffset", 0) + known.get("byteOffset", 0)
        parts = _PARTS[known["type"]]
        kind = np.dtype(_TYPES[known["componentType"]])
        found = np.frombuffer(self._binary, kind, known["count"] * parts, start)
        return found.reshape(known["count"], parts)
