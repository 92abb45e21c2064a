"""Rooms and animations of an exported level, as the formats library reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.base.units import CLICK, SECTOR_SIZE
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.levels.animations.animations import (
    decode_commands,
    decode_state_changes,
    model_animations,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.rotations import (
    matrices_from_quaternions,
    quaternions_from_angles,
)
from io_tomb_raider.formats.levels.cutscenes import read_cutseq
from io_tomb_raider.formats.levels.cutscenes.cutscenes import ACTOR_SCALE, CAMERA_SCALE
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.textiles import PAGE_SIZE, decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded

_METERS = 2 / SECTOR_SIZE  # of the scene
_INWARD = 0.2  # from corners of pictures to their middle
_LARA = 0  # the type of her model
# Of records of animations: where their parts are in the file.
_PLACES = ("frame_offset", "first_state_change", "first_command", "first_frame", "last_frame")


def cutscenes_of_file(path: str) -> list[dict[str, Any]]:
    """Return the cutscenes of a file: the ways of `camera` and `actors` from frame to frame, and `turns`."""
    cutseq = read_cutseq(Path(path).read_bytes())
    cutscenes = [cutseq.cutscene(number) for number in cutseq.numbers]
    return [
        {
            "camera": _steps(each.camera, CAMERA_SCALE),
            "actors": [_steps(actor.root, ACTOR_SCALE) for actor in each.actors],
            "turns": [
                int(np.abs(np.diff(actor.rotations.astype(int), axis=0)).sum()) for actor in each.actors
            ],
        }
        for each in cutscenes
    ]


def objects_of_file(path: str) -> list[Any]:
    """Return the game of a WAD2, the slots of its models, and those of models with a skin."""
    library = wad2_to_level(read_wad2(path))
    models = library.moveables
    skinned = [each.id for each in models if each.skin is not None]
    return [library.wad2.version, [each.id for each in models], skinned]


def _steps(places: Any, scale: int) -> list[float]:
    steps = scale * np.diff(places.astype(float), axis=0)
    return [round(float(step), 3) for step in np.linalg.norm(steps, axis=1) * _METERS]


def rooms_of_file(path: str) -> list[dict[str, Any]]:
    """Return the rooms of a level file.

    Each has `place` (x and y of its first sector, meters), `walls` by x and y, `floors` and `ceilings` by x
    and y with the heights of the four corners in clicks, up, and `quads`: their `corners` in meters, and
    `colors` of pixels near these.
    """
    level = read_level(Path(path))
    decoded, mask = Decoded(level), room_texture_mask(level.game)
    pages = decode_pages(pages_of(level))
    textures = decode_object_textures(level.object_textures, level.game)
    found = []
    for number, room in enumerate(level.rooms):
        start, end = decoded.grid.starts[number : number + 2].tolist()
        size = room.x_sectors, room.z_sectors
        floors, ceilings = (
            np.round(-surface.heights[start:end, 0] / CLICK, 3).reshape(*size, -1).tolist()
            for surface in (decoded.sectors.floor, decoded.sectors.ceiling)
        )
        quads = decode_faces(level.game, room)[0]
        vertices = np.stack([room.vertices[axis].astype(np.int64) for axis in "xyz"], axis=1)
        points = np.column_stack([vertices[:, 0] + room.x, vertices[:, 2] + room.z, -vertices[:, 1]])
        uvs = textures.uv[quads.texture.astype(np.int64) & mask]
        uvs = uvs + (uvs.mean(axis=1, keepdims=True) - uvs) * _INWARD
        columns = (uvs[..., 0] * PAGE_SIZE).astype(np.int64)
        rows = ((1 - uvs[..., 1]) * PAGE_SIZE).astype(np.int64)
        page = textures.page[quads.texture.astype(np.int64) & mask, None]
        found.append(
            {
                "place": [room.x * _METERS, room.z * _METERS],
                "walls": decoded.sectors.wall[start:end].reshape(size).tolist(),
                "floors": floors,
                "ceilings": ceilings,
                "quads": [
                    {"corners": corners, "colors": colors}
                    for corners, colors in zip(
                        (points[quads.corners] * _METERS).tolist(),
                        pages[page, rows, columns, :3].astype(int).tolist(),
                        strict=True,
                    )
                ],
            }
        )
    return found


def animations_of_file(path: str) -> list[dict[str, Any]]:
    """Return Lara's animations in a level file.

    Each has `bytes` (its key frames in hexadecimal), `ticks`, `next` (the number of the animation that
    follows, among hers), `state`, `speed` (units per tick), `changes` (state, low, high, number of the
    animation, frame), `record` (all that does not depend on its place in the file), and `joints`: for each
    key frame and mesh the position of the joint in meters, with x to her right, y forward and z up.
    """
    level = read_level(Path(path))
    (model,) = (number for number, each in enumerate(level.models) if each["id"] == _LARA)
    first, count = (int(each[model]) for each in model_animations(level.models, level.animations))
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[model]
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    found = []
    for number in range(first, first + count):
        record = level.animations[number]
        start, own = int(record["first_frame"]), keys.keys(number)
        begin = int(keys.first_keys[number])
        words = [
            level.frames[place : place + length].tobytes().hex()
            for place, length in zip(
                keys.words[begin : begin + len(own)].tolist(),
                keys.lengths[begin : begin + len(own)].tolist(),
                strict=True,
            )
        ]
        changes = decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, number
        )
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"]), first_frame=start
        )
        found.append(
            {
                "bytes": words,
                "ticks": int(record["last_frame"]) - start + 1,
                "next": int(record["next_animation"]) - first,
                "state": int(record["state"]),
                "speed": int(record["speed"]) / 65536,
                "changes": [
                    [change.state, each.low, each.high, each.next_animation - first, each.next_frame]
                    for change in changes
                    for each in change.dispatches
                    if isinstance(each.next_animation, int)
                ],
                "record": [
                    *(record[name].item() for name in record.dtype.names or () if name not in _PLACES),
                    *([each.type, *each.operands] for each in commands),
                ],
                "joints": _joints(own.angles, own.offsets, tree.parents, tree.offsets).round(4).tolist(),
            }
        )
    return found


def _joints(angles: Any, offsets: Any, parents: Any, places: Any) -> Any:
    """Return the joints of n poses of m meshes, (n, m, 3) in meters, as a game places them."""
    turns = matrices_from_quaternions(quaternions_from_angles(angles, np.float64))
    found = np.zeros((*angles.shape[:2], 3))
    found[:, 0] = offsets
    for mesh, parent in enumerate(parents.tolist()):  # parents come first
        if parent >= 0:
            found[:, mesh] = found[:, parent] + turns[:, parent] @ places[mesh]
            turns[:, mesh] = turns[:, parent] @ turns[:, mesh]
    return found[..., [0, 2, 1]] * (_METERS, _METERS, -_METERS)
