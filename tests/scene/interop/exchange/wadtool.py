"""The rules by which WadTool 1.11 imports a skin from a .glb file, without Blender and the extension."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from struct import calcsize, unpack_from
from typing import Any

SCALE = 1024  # of the preset "Metasequoia OBJ", which also flips z and inverts faces
LEAST = 0.004
_FORMATS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
_PARTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
Place = tuple[float, ...]


@dataclass
class Corner:
    """A corner of a polygon."""

    vertex: int
    uv: Place  # pixels from the upper left


@dataclass
class Polygon:
    """A polygon with its material."""

    material: str
    image: tuple[int, int]  # its size
    corners: list[Corner]


@dataclass
class ImportedSkin:
    """A skin as WadTool would have it."""

    bones: list[str]  # names in the order of their numbers
    places: list[Place] = field(default_factory=list)  # of the vertices, in the axes of WAD2
    normals: list[Place] = field(default_factory=list)
    weights: list[dict[int, float]] = field(default_factory=list)  # of the vertices by the number of the bone
    polygons: list[Polygon] = field(default_factory=list)
    skipped: int = 0  # primitives without texture


class _File:
    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        size = unpack_from("<I", data, 12)[0]
        self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
        self.binary = data[20 + size + 8 :]

    def numbers(self, accessor: int) -> list[tuple[Any, ...]]:
        """Return the rows of an accessor."""
        entry = self.json["accessors"][accessor]
        view = self.json["bufferViews"][entry["bufferView"]]
        start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        row = f"<{_PARTS[entry['type']]}{_FORMATS[entry['componentType']]}"
        step = view.get("byteStride", calcsize(row))
        return [unpack_from(row, self.binary, start + number * step) for number in range(entry["count"])]

    def image_size(self, material: int | None) -> tuple[int, int] | None:
        """Return the width and height of a material's image, None without one."""
        if material is None:
            return None
        shown = self.json["materials"][material].get("pbrMetallicRoughness", {}).get("baseColorTexture")
        if shown is None:
            return None
        image = self.json["images"][self.json["textures"][shown["index"]]["source"]]
        start = self.json["bufferViews"][image["bufferView"]].get("byteOffset", 0)
        assert self.binary[start + 1 : start + 4] == b"PNG"
        width, height = unpack_from(">II", self.binary, start + 16)
        return width, height


def natural(name: str) -> list[Any]:
    """Return the key by which names are sorted: text and numbers."""
    return [int(part) if part.isdigit() else part for part in re.findall(r"\d+|\D+", name.lower())]


def import_skin(path: Path) -> ImportedSkin:
    """Return the skin that WadTool imports from a file."""
    file = _File(path)
    pieces = []
    for node in file.json["nodes"]:
        if "mesh" in node:
            joints = [file.json["nodes"][each]["name"] for each in file.json["skins"][node["skin"]]["joints"]]
            pieces += [(each, joints) for each in file.json["meshes"][node["mesh"]]["primitives"]]
    moved = set[str]()
    for piece, joints in pieces:
        for row, values in zip(*_weight_rows(file, piece), strict=True):
            moved |= {joints[joint] for joint, value in zip(row, values, strict=True) if value > 0}
    result = ImportedSkin(sorted(moved, key=natural))
    for piece, joints in pieces:
        _add(file, piece, joints, result)
    return result


def _weight_rows(file: _File, piece: Any) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    attributes = piece["attributes"]
    return file.numbers(attributes["JOINTS_0"]), file.numbers(attributes["WEIGHTS_0"])


def _add(file: _File, piece: Any, joints: list[str], skin: ImportedSkin) -> None:
    attributes = piece["attributes"]
    size = file.image_size(piece.get("material"))
    if size is None or "TEXCOORD_0" not in attributes:
        skin.skipped += 1
        return
    assert piece.get("mode", 4) == 4 and "JOINTS_1" not in attributes and "COLOR_0" not in attributes
    places = [_placed(row, SCALE) for row in file.numbers(attributes["POSITION"])]
    normals = [_placed(row, 1) for row in file.numbers(attributes["NORMAL"])]
    uvs = file.numbers(attributes["TEXCOORD_0"])
    weights = [
        _kept(skin, joints, row, values) for row, values in zip(*_weight_rows(file, piece), strict=True)
    ]
    material = file.json["materials"][piece["material"]]["name"]
    corners = []
    for (index,) in file.numbers(piece["indices"]):
        same = (
            number
            for number in range(len(skin.places))
            if skin.places[number] == places[index]
            and skin.normals[number] == normals[index]
            and skin.weights[number] == weights[index]
        )
        number = next(same, len(skin.places))
        if number == len(skin.places):
            skin.places.append(places[index])
            skin.normals.append(normals[index])
            skin.weights.append(weights[index])
        uv = tuple(round(_wrapped(part) * side, 2) for part, side in zip(uvs[index], size, strict=True))
        corners.append(Corner(number, uv))
    triangles = [corners[at : at + 3][::-1] for at in range(0, len(corners), 3)]
    skin.polygons += [Polygon(material, size, triangle) for triangle in triangles]


def _wrapped(value: float) -> float:
    return value % 1 if abs(value) > 1 else value


def _placed(row: tuple[float, ...], scale: float) -> Place:
    x, y, z = row
    return tuple(round(part * scale, 3) for part in (x, y, -z))


def _kept(skin: ImportedSkin, joints: list[str], row: Any, values: Any) -> dict[int, float]:
    """Return the weights of a vertex: of those of the last bones the first four that are large enough."""
    pairs = [
        (skin.bones.index(joints[joint]), value) for joint, value in zip(row, values, strict=True) if value
    ]
    pairs = [pair for pair in sorted(pairs, reverse=True) if pair[1] >= LEAST][:4]
    total = sum(value for _, value in pairs)
    return {bone: value / total for bone, value in pairs}
