"""Meshes of the example as an object file of a level editor, which our compiler reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from struct import pack

import numpy as np

from .solids import Face, Figure, Motion, Pose, Solid, Tiles

Numbers = Sequence[int]


def _leb(value: int) -> bytes:
    result = []
    while True:
        result.append(value & 0x7F)
        value >>= 7
        if value == (-1 if result[-1] & 0x40 else 0):
            return bytes([*(byte | 0x80 for byte in result[:-1]), result[-1]])


def _leaf(name: str, body: bytes) -> bytes:
    return _leb(len(name)) + name.encode() + _leb(len(body)) + body


def _node(name: str, *parts: bytes, numbers: Iterable[int] = ()) -> bytes:
    return _leaf(name, b"".join(map(_leb, numbers)) + b"".join(parts) + b"\0")


def _vectors(name: str, part: str, rows: Iterable[Sequence[float]]) -> bytes:
    return _node(name, *(_leaf(part, pack(f"<{len(row)}f", *row)) for row in rows))


def _box(name: str, points: np.ndarray) -> bytes:
    low, high = points.min(axis=0), points.max(axis=0)
    return _node(name, _leaf("W2BBMin", pack("<3f", *low)), _leaf("W2BBMax", pack("<3f", *high)))


def _up(vertices: Sequence[Sequence[float]]) -> np.ndarray:
    """Return vertices with y upwards, as the file has them."""
    return np.array(vertices, np.float64).reshape(-1, 3) * (1, -1, 1)


def _with_backs(solid: Solid) -> Solid:
    """Return a mesh whose backs of faces have their own vertices: means of opposite normals are black."""
    copies: dict[int, int] = {}
    vertices, shades, faces = [*solid.vertices], [*solid.shades], list[Face]()
    for face in solid.faces:
        faces.append(replace(face, both_sides=False))
        if face.both_sides:
            for corner in face.corners:
                if corner not in copies:
                    copies[corner] = len(vertices)
                    vertices.append(solid.vertices[corner])
                    shades += solid.shades[corner : corner + 1]
            corners = tuple(copies[corner] for corner in reversed(face.corners))
            faces.append(replace(face, corners=corners, uvs=face.uvs[::-1], both_sides=False))
    return Solid(vertices, faces, solid.lit, shades)


def _mesh(name: str, solid: Solid, numbers: Mapping[str, int]) -> bytes:
    solid = _with_backs(solid)
    points = _up(solid.vertices)
    center = (points.min(axis=0) + points.max(axis=0)) / 2 if len(points) else np.zeros(3)
    radius = float(np.linalg.norm(points - center, axis=1).max()) if len(points) else 0.0
    shades = solid.shades or [1.0] * len(points)
    polygons = []
    for face in solid.faces:
        body = b"".join(map(_leb, (*face.corners, min(face.shine * 2, 63), numbers[face.tile])))
        body += pack("<4f", 0, 0, 64, 64) + b"".join(pack("<2f", *uv) for uv in face.uvs)
        body += _leb(0) + bytes(2)
        polygons.append(_leaf("W2Tr2" if len(face.corners) == 3 else "W2Uq2", body))
    return _node(
        "W2Mesh",
        _leaf("W2Index", _leb(0)),
        _leaf("W2MeshName", name.encode()),
        _node("W2MeshSphere", _leaf("W2SphC", pack("<3f", *center)), _leaf("W2SphR", pack("<d", radius))),
        _box("W2BBox", points if len(points) else np.zeros((1, 3))),
        _vectors("W2VrtPos", "W2Pos", points),
        _vectors("W2VrtShd", "W2VxCol", [(each,) * 3 for each in shades] if solid.lit else ()),
        _leaf("W2MeshLightType", _leb(int(solid.lit))),
        _node("W2Polys", *polygons),
    )


def _motion(motion: Motion, figure: Figure) -> bytes:
    numbers = {each.name: number for number, each in enumerate(figure.motions)}
    everything = [_posed_box(figure, pose) for pose in motion.poses]
    keys = []
    for (offset, angles), points in zip(motion.poses, everything, strict=True):
        turned = np.asarray(angles, np.float64) * (-1, 1, -1)
        keys.append(
            _node(
                "W2Kf",
                _leaf("W2KfOffs", pack("<3f", *_up([offset])[0])),
                _box("W2KfBB", points),
                *(_leaf("W2KfA", pack("<3f", *each)) for each in turned),
            )
        )
    last = max((len(motion.poses) - 1) * motion.rate, 0)
    changes = [
        _node("W2StCh", _node("W2Disp2", numbers=(first, final, numbers[name], tick, 0, 0)), numbers=(state,))
        for state, first, final, name, tick in motion.changes
    ]
    return _node(
        "W2Ani3",
        _leaf("W2AnmName", motion.name.encode()),
        *keys,
        *changes,
        _leaf("W2AniV", pack("<4f", motion.speed, motion.speed, 0, 0)),
        numbers=(motion.state, last, motion.rate, numbers[motion.follows], motion.follows_tick, 0),
    )


def _posed_box(figure: Figure, pose: Pose) -> np.ndarray:
    offset, _ = pose
    points = np.concatenate(
        [_up(solid.vertices) for solid in figure.meshes if solid.vertices] or [np.zeros((1, 3))]
    )
    if len(figure.meshes) > 5:
        # People: a box around the body.
        return np.array(((-120, -20, -120), (120, 740, 120)), np.float64)
    return points + _up([offset])[0]


def _moveable(slot: int, figure: Figure, numbers: Mapping[str, int]) -> bytes:
    bones = []
    joints = [
        (0, (0.0, 0.0, 0.0)),
        *((int(each.pop) + 2 * int(each.push), each.offset) for each in figure.joints),
    ]
    for number, (operation, offset) in enumerate(joints):
        raw = f"{figure.name} {number}".encode()
        fields = _leb(operation) + pack("<i", len(raw)) + raw
        parts = _leaf("W2BoneTrans", pack("<3f", *_up([offset])[0])) + _leaf("W2BoneMesh", _leb(number))
        bones.append(_leaf("W2Bone2", fields + parts + b"\0"))
    return _node(
        "W2Moveable",
        *(_mesh(f"{figure.name} {number}", solid, numbers) for number, solid in enumerate(figure.meshes)),
        *bones,
        *(_motion(motion, figure) for motion in figure.motions),
        numbers=(slot,),
    )


def _static(slot: int, name: str, solid: Solid, numbers: Mapping[str, int], solid_box: bool) -> bytes:
    points = _up(solid.vertices)
    collision = points * 0.8 if solid_box else np.zeros((1, 3))
    return _node(
        "W2Static2",
        _mesh(name, solid, numbers),
        _leaf("W2StaticAmbientLight", _leb(128)),
        _leaf("W2StaticShatter", b"\0"),
        _leaf("W2StaticShatterSound", _leb(-1)),
        _box("W2StaticVB", points),
        _box("W2StaticCB", collision),
        numbers=(slot, 0),
    )


def _picture(pixels: np.ndarray) -> bytes:
    return _leaf("W2TxtData", np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).tobytes())


def pack_objects(
    figures: Mapping[int, Figure],
    statics: Mapping[int, tuple[str, Solid, bool]],
    tiles: Tiles,
    sprites: Mapping[int, tuple[Sequence[np.ndarray], int]],
) -> bytes:
    """Return an object file.

    Args:
        figures: by slot.
        statics: by slot: name, mesh, and whether one bumps into it.
        tiles: those that meshes use; others are left out.
        sprites: by slot, the pictures that take turns in a sequence, and its length.
    """
    meshes = [solid for figure in figures.values() for solid in figure.meshes]
    meshes += [solid for _, solid, _ in statics.values()]
    used = sorted({face.tile for solid in meshes for face in solid.faces})
    numbers = {name: number for number, name in enumerate(used)}
    textures = [
        _node(
            "W2Txt", _leaf("W2TxtName", b""), _leaf("W2TxtRelPath", b""), _picture(tiles[name]),
            numbers=tiles[name].shape[1::-1],
        )
        for name in used
    ]  # fmt: skip
    pictures: list[bytes] = []
    sequences: list[bytes] = []
    for slot, (images, length) in sprites.items():
        first = len(pictures)
        for image in images:
            sides = _leaf("W2SprSides", pack("<4i", -128, -256, 128, 0))
            parts = (_leaf("W2Index", _leb(len(pictures))), _picture(image), sides)
            pictures.append(_node("W2Spr", *parts, numbers=image.shape[1::-1]))
        pointers = (
            _leaf("W2SpritePtr", _leb(number))
            for number in (first + each % len(images) for each in range(length))
        )
        sequences.append(_node("W2SpriteSeq", *pointers, numbers=(slot,)))
    stream = b"".join(
        (
            _leaf("W2SuggestedGameVersion", _leb(4)),
            _leaf("W2SoundSystem", _leb(1)),
            _node("W2Textures", *textures),
            _node("W2Sprites", *pictures),
            _node("W2SpriteSequences", *sequences),
            _node("W2Moveables", *(_moveable(slot, each, numbers) for slot, each in sorted(figures.items()))),
            _node(
                "W2Statics",
                *(_static(slot, *parts[:2], numbers, parts[2]) for slot, parts in sorted(statics.items())),
            ),
            b"\0",
        )
    )
    return b"WAD2" + bytes(4) + stream
