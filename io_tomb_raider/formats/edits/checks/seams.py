"""Search for seams: gaps between faces, textures turned against their neighbors, and faces without light.

These are often intended, so the search runs only on demand, and all findings are information.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...base.arrays.typing import Floats, Ints
from ...base.bytes.colors import argb_to_bytes, light_to_gray, rgb555_to_bytes
from ...base.messages import T
from ...levels.rooms.geometry import decode_faces
from ...levels.rooms.portals import same_places
from ...levels.rooms.rooms import Room
from ...levels.textures.face_words import room_texture_mask
from ...levels.textures.object_textures import decode_object_textures
from ...levels.views.decoded import Decoded
from ...levels.views.findings import OTHER, Element, Finding, Severity

GAP, TURNED, UNLIT = "gap", "turned texture", "face without light"
WIDEST = 64  # units of a gap between faces that nearly meet
_ASIDE = 0.5  # cosine between directions from two edges to their faces, which a gap separates
_FEWEST = 3  # neighbors with the same tile that have to agree
_SAME, _OTHER_WAY = 0.9, 0.5  # cosines of directions of textures
_COPLANAR = 0.99
_DARK, _LIT = 8, 96  # brightness, of 255


def find_seams(checked: Decoded) -> Iterator[Finding]:
    """Find seams in the rooms of a level, except rooms that exist only while flipped."""
    mesh = _whole_mesh(checked)
    if mesh is not None:
        yield from _gaps(checked, mesh)
        yield from _turned(checked, mesh)
        yield from _unlit(mesh)


class _Mesh(NamedTuple):
    """The faces of all rooms."""

    points: Floats  #: (n, 3) vertices in world units.
    welded: Ints  #: (n,) the same number for vertices at the same place.
    brightness: Floats  #: (n,) light of vertices, 0 to 255.
    corners: Ints  #: (m, 4) vertices of faces; the last two of triangles are equal.
    sizes: Ints  #: (m,) the number of corners.
    texture: Ints  #: (m,) object textures of faces.
    room: Ints  #: (m,) the rooms of faces.
    edges: Ints  #: (k, 2) welded vertices of the edges of faces, in ascending order, and
    faces: Ints  #: (k,) their faces.

    def centers(self) -> Floats:
        """Return the centers of faces, (m, 3)."""
        weights = np.ones(self.corners.shape)
        weights[self.sizes == 3, 3] = 0
        sums = (self.points[self.corners] * weights[..., None]).sum(axis=1)
        return np.asarray(sums / weights.sum(axis=1)[:, None])


def _whole_mesh(checked: Decoded) -> _Mesh | None:
    level = checked.level
    base = same_places(level.rooms)
    points, brightness, corners, sizes, texture, rooms = [], [], [], [], [], []
    vertex_count = 0
    for number, room in enumerate(level.rooms):
        if base[number] != number or not len(room.vertices):
            continue
        positions = np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)
        points.append(positions + np.array((room.x, 0, room.z)))
        brightness.append(_brightness(checked, room))
        for faces in decode_faces(level.game, room):
            valid = faces.take(np.flatnonzero((faces.corners < len(positions)).all(axis=1)))
            four = valid.corners.astype(np.int64)[:, [0, 1, 2, min(3, valid.corners.shape[1] - 1)]]
            corners.append(four + vertex_count)
            sizes.append(np.full(len(valid), valid.corners.shape[1], np.int64))
            texture.append(valid.texture.astype(np.int64) & room_texture_mask(level.game))
            rooms.append(np.full(len(valid), number, np.int64))
        vertex_count += len(positions)
    if not points:
        return None
    positions, quads = np.concatenate(points), np.concatenate(corners)
    _, welded = np.unique(np.rint(positions).astype(np.int64), axis=0, return_inverse=True)
    welded = welded.reshape(-1).astype(np.int64)
    count = np.concatenate(sizes)
    ends = np.sort(np.stack([welded[quads], welded[np.roll(quads, -1, axis=1)]], axis=2), axis=2)
    is_edge = ends[..., 0] != ends[..., 1]
    face = np.broadcast_to(np.arange(len(quads))[:, None], is_edge.shape)[is_edge]
    return _Mesh(
        positions,
        welded,
        np.concatenate(brightness),
        quads,
        count,
        np.concatenate(texture),
        np.concatenate(rooms),
        ends[is_edge].astype(np.int64),
        face,
    )


def _brightness(checked: Decoded, room: Room) -> Floats:
    """Return the light of a room's vertices, 0 to 255, (n,)."""
    traits, vertices = checked.level.game.traits, room.vertices
    if not traits.has_color_light:
        return light_to_gray(vertices["light"]).astype(np.float64)
    to_bytes = argb_to_bytes if traits.has_room_layers else rgb555_to_bytes
    return np.asarray(to_bytes(vertices["color"])[:, :3].max(axis=1).astype(np.float64))


# --- Gaps ----------------------------------------


def _gaps(checked: Decoded, mesh: _Mesh) -> Iterator[Finding]:
    keys, inverse, counts = np.unique(mesh.edges, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    rows = np.flatnonzero(counts[inverse] == 1)
    open_edges = {
        tuple(edge): face
        for edge, face in zip(mesh.edges[rows].tolist(), mesh.faces[rows].tolist(), strict=True)
    }
    every = set(map(tuple, keys.tolist()))
    first = np.zeros(int(mesh.welded.max()) + 1, np.int64)
    first[mesh.welded] = np.arange(len(mesh.welded))
    positions = mesh.points[first]
    near = _near(positions, np.unique(mesh.edges[rows]))
    centers = mesh.centers()
    joined = _connected_rooms(checked)
    seen: set[tuple[int, int]] = set()
    for (start, end), face in open_edges.items():
        for a in (start, *near.get(start, ())):
            for b in (end, *near.get(end, ())):
                twin = (a, b) if a < b else (b, a)
                if (a, b) == (start, end) or twin not in open_edges:
                    continue
                beside = open_edges[twin]
                moves = [pair for pair in ((start, a), (end, b)) if pair[0] != pair[1]]
                if beside == face or all((min(pair), max(pair)) in every for pair in moves):
                    continue  # a narrow face is between them
                rooms = int(mesh.room[face]), int(mesh.room[beside])
                if rooms[0] != rooms[1] and rooms not in joined:
                    continue
                directions = (
                    centers[face] - (positions[start] + positions[end]) / 2,
                    centers[beside] - (positions[a] + positions[b]) / 2,
                )
                length = np.linalg.norm(directions[0]) * np.linalg.norm(directions[1])
                if length == 0 or float(directions[0] @ directions[1]) > _ASIDE * length:
                    continue  # the two sides of something thin
                for pair in moves:
                    key = min(pair), max(pair)
                    if key not in seen:
                        seen.add(key)
                        yield _gap(positions[pair[0]], positions[pair[1]], rooms)


def _gap(position: Floats, other_position: Floats, rooms: tuple[int, int]) -> Finding:
    distance = float(np.linalg.norm(position - other_position))
    others = (Element("room", rooms[1]),) if rooms[0] != rooms[1] else ()
    if others:
        text = T(
            "a corner of its faces is {distance:.0f} units from one of {other}, so there is a gap",
            distance=distance,
            other=OTHER,
        )
    else:
        text = T(
            "two corners of its faces are {distance:.0f} units apart, so there is a gap", distance=distance
        )
    x, y, z = position.tolist()
    return Finding(GAP, Severity.INFO, Element("room", rooms[0]), text, others, place=(x, y, z))


def _near(positions: Floats, vertices: Ints) -> dict[int, list[int]]:
    """Return the vertices within :data:`WIDEST` of each of some welded vertices."""
    cells: dict[tuple[int, ...], list[int]] = {}
    points = positions[vertices]
    for vertex, cell in zip(
        vertices.tolist(), np.floor(points / WIDEST).astype(np.int64).tolist(), strict=True
    ):
        cells.setdefault(tuple(cell), []).append(vertex)
    result: dict[int, list[int]] = {}
    steps = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    for (x, y, z), inside in cells.items():
        around = [each for dx, dy, dz in steps for each in cells.get((x + dx, y + dy, z + dz), ())]
        if len(around) < 2:
            continue
        distance = np.linalg.norm(positions[inside][:, None] - positions[around], axis=2)
        for row, column in np.argwhere((distance > 0) & (distance <= WIDEST)).tolist():
            result.setdefault(inside[row], []).append(around[column])
    return result


def _connected_rooms(checked: Decoded) -> set[tuple[int, int]]:
    """Return all pairs of rooms with a portal between them, in both orders."""
    pairs = {
        (number, int(target))
        for number, room in enumerate(checked.level.rooms)
        for target in room.portals["room"].tolist()
    }
    return pairs | {(target, number) for number, target in pairs}


# --- Textures ----------------------------------------


def _turned(checked: Decoded, mesh: _Mesh) -> Iterator[Finding]:
    records = decode_object_textures(checked.level.object_textures, checked.level.game)
    is_known = (mesh.texture < len(records.page)) & (mesh.sizes == 4)
    if not is_known.any():
        return
    texture = np.where(is_known, mesh.texture, 0)
    uv = records.uv[texture].astype(np.float64)
    tile = np.column_stack(
        [records.page[texture], records.attribute[texture], uv.min(axis=1), uv.max(axis=1)]
    )
    _, kind = np.unique(np.rint(tile * 256), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    right, normal, handedness = _directions(mesh, uv)
    is_known &= np.abs(handedness) > 0
    faces, beside = _neighbors(mesh)
    match = (
        is_known[faces]
        & is_known[beside]
        & (kind[faces] == kind[beside])
        & ((normal[faces] * normal[beside]).sum(axis=1) > _COPLANAR)
    )
    faces, beside = faces[match], beside[match]
    order = np.lexsort((beside, faces))
    faces, beside = faces[order], beside[order]
    agrees = (right[faces] * right[beside]).sum(axis=1) > _SAME
    total = np.bincount(faces, minlength=len(is_known))
    agreeing = np.bincount(faces, agrees, minlength=len(is_known))
    # In patterns of alternating directions no neighbor agrees with its own.
    is_usual = (agreeing >= 1) & (agreeing >= (total - 1) / 2)
    starts = np.flatnonzero(np.diff(faces, prepend=-1))
    centers = mesh.centers()
    ends = np.append(starts, len(faces))[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start < _FEWEST:
            continue
        face, around = int(faces[start]), beside[start:end]
        if (handedness[around] != handedness[face]).any() or not is_usual[around].all():
            continue
        agree = (right[around] @ right[around[0]] > _SAME).all()
        if agree and (right[around] @ right[face] < _OTHER_WAY).all():
            text = T(
                "the texture of a face is turned against its {count} neighbors, which agree with each other",
                count=len(around),
            )
            x, y, z = centers[face].tolist()
            obj = Element("room", int(mesh.room[face]))
            yield Finding(TURNED, Severity.INFO, obj, text, place=(x, y, z))


def _directions(mesh: _Mesh, uv: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the direction to the right on the textures of quads, their normals, and 1 or -1 if mirrored."""
    corners = mesh.points[mesh.corners]
    centered = corners - corners.mean(axis=1, keepdims=True)
    centered_uv = uv - uv.mean(axis=1, keepdims=True)
    slopes = np.linalg.pinv(centered) @ centered_uv  # (m, 3, 2)
    right, up = slopes[..., 0], slopes[..., 1]
    length = np.linalg.norm(right, axis=1, keepdims=True)
    right = right / np.where(length > 0, length, 1.0)
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(size > 0, size, 1.0)
    return right, normal, np.sign((np.cross(right, up) * normal).sum(axis=1))


def _neighbors(mesh: _Mesh) -> tuple[Ints, Ints]:
    """Return pairs of faces at edges of two faces, in both orders."""
    _, inverse, counts = np.unique(mesh.edges, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    firsts = (np.cumsum(counts) - counts)[counts == 2]
    first, second = mesh.faces[order[firsts]], mesh.faces[order[firsts + 1]]
    return np.concatenate([first, second]), np.concatenate([second, first])


# --- Light ----------------------------------------


def _unlit(mesh: _Mesh) -> Iterator[Finding]:
    brightest = np.zeros(int(mesh.welded.max()) + 1)
    np.maximum.at(brightest, mesh.welded[mesh.corners.ravel()], mesh.brightness[mesh.corners.ravel()])
    dark = (mesh.brightness[mesh.corners] <= _DARK).all(axis=1)
    lit = (brightest[mesh.welded[mesh.corners]] >= _LIT).all(axis=1)
    centers = mesh.centers()
    for face in np.flatnonzero(dark & lit).tolist():
        text = T("a face is black, and all faces around it are lit. Paint its light, or bake it")
        x, y, z = centers[face].tolist()
        obj = Element("room", int(mesh.room[face]))
        yield Finding(UNLIT, Severity.INFO, obj, text, place=(x, y, z))
