"""Models, static meshes and rooms of a level as triangles for small pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ....catalogue import BODY, HOLSTER_MESHES, HOLSTERS, JOINTS, WELDED, idle_animation, names, outfit
from ....formats import FormatError
from ....formats.base import LARA, TURN, Floats, Records, T
from ....formats.levels.animations import matrices_from_quaternions, quaternions_from_angles
from ....formats.levels.level import Level
from ....formats.levels.meshes import Mesh
from ....formats.levels.rooms import decode_faces
from ....formats.levels.textures import (
    ADDITIVE_EFFECT,
    RAW_PER_PIXEL,
    BlendMode,
    color_index,
    decode_object_textures,
    mesh_texture_mask,
    room_texture_mask,
    texture_index,
)
from ....formats.levels.views import Decoded
from .raster import FLAT, RasterFaces

_PISTOLS = 1


class ObjectFaces:
    """The objects of a level that have faces."""

    def __init__(self, decoded: Decoded) -> None:
        self._decoded = decoded

    @property
    def _level(self) -> Level:
        return self._decoded.level

    # --- Pieces

    def model(self, number: int) -> RasterFaces:
        """Return a model in its standing pose; for Lara's id, the meshes that the game draws for her.

        Raises:
            FormatError: if something that it refers to is damaged.
        """
        ids = {int(each) for each in self._level.models["id"]}
        body = outfit(self._level.game, ids).get(BODY, LARA) if number == LARA else number
        row = self._row(body)
        meshes = self._meshes(row)
        rotations, positions = self._pose(row, number)
        parts = [
            self._mesh(mesh, rotation, position)
            for mesh, rotation, position in zip(meshes, rotations, positions, strict=False)
        ]
        if number == LARA:
            parts += [*self._joints(row, meshes, rotations, positions), *self._holsters(rotations, positions)]
        return RasterFaces.join(parts)

    def static(self, number: int) -> RasterFaces:
        """Return a static mesh. Raises FormatError if something that it refers to is damaged."""
        records = self._level.static_meshes
        record = records[_first(records, number, "static_meshes")]
        return self._mesh(self._mesh_at(int(record["mesh"])), np.eye(3), np.zeros(3))

    def room(self, number: int) -> RasterFaces:
        """Return a room with its static meshes.

        Raises:
            FormatError: if something that it refers to is damaged.
        """
        room, game = self._level.rooms[number], self._level.game
        corners = np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)
        mask = room_texture_mask(game)
        parts = [
            self._textured(corners, faces.corners, faces.texture, mask, None)
            for faces in decode_faces(game, room)
        ]
        ids = {int(each) for each in self._level.static_meshes["id"]}
        for record in room.static_meshes:
            if int(record["static_mesh"]) in ids:
                angle = int(record["angle"]) / TURN * 2 * np.pi
                rotation = np.array(
                    [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
                )
                base = np.array([room.x, 0, room.z], np.float64)
                position = np.array([record[axis] for axis in "xyz"], np.float64) - base
                faces = self.static(int(record["static_mesh"]))
                parts.append(replace(faces, points=faces.points @ rotation.T + position))
        return RasterFaces.join(parts)

    # --- Models

    def _row(self, model: int) -> int:
        return _first(self._level.models, model, "models")

    def _meshes(self, row: int) -> list[Mesh]:
        record = self._level.models[row]
        first = int(record["first_mesh"])
        return [self._mesh_at(each) for each in range(first, first + int(record["meshes"]))]

    def _mesh_at(self, pointer: int) -> Mesh:
        block = self._decoded.meshes
        if pointer >= len(block.pointers):
            raise FormatError("mesh_pointers", f"an entry {pointer}", f"{len(block.pointers)} entries")
        return block.meshes[int(block.pointers[pointer])]

    def _pose(self, row: int, number: int) -> tuple[Floats, Floats]:
        """Return the rotations, (m, 3, 3), and places, (m, 3), of a model's meshes."""
        tree = self._decoded.mesh_trees[row]
        rotations, positions = np.tile(np.eye(3), (len(tree), 1, 1)), tree.offsets.astype(np.float64)
        keys = self._standing_key(self._row(number))
        if keys is None or len(keys[0]) < len(tree):
            keys = self._standing_key(self._row(LARA)) if LARA in self._level.models["id"] else None
            if keys is None or len(keys[0]) != len(tree):
                keys = None  # Lara's other models use her pose
        if keys is not None:
            rotations = matrices_from_quaternions(quaternions_from_angles(keys[0][: len(tree)], np.float64))
            positions[:1] = keys[1]
        for mesh, parent in enumerate(tree.parents.tolist()):  # each one needs its parent's result
            if parent >= 0:
                positions[mesh] = rotations[parent] @ positions[mesh] + positions[parent]
                rotations[mesh] = rotations[parent] @ rotations[mesh]
        return rotations, positions

    def _joints(
        self, row: int, meshes: Sequence[Mesh], rotations: Floats, positions: Floats
    ) -> Iterator[RasterFaces]:
        """Yield the joints between Lara's limbs: vertices on those of a limb move with it (TR4, TR5)."""
        joints = self._meshes_of(JOINTS.get(self._level.game, -1))
        if len(joints) != len(meshes) or len(meshes) <= max(WELDED):
            return
        origins = self._decoded.mesh_trees[row].origins()
        joint_origins = self._decoded.mesh_trees[self._row(JOINTS[self._level.game])].origins()
        for number, limbs in WELDED.items():
            rest = joints[number].vertices + joint_origins[number]
            sides = [(rest - origins[limb]) @ rotations[limb].T + positions[limb] for limb in limbs]
            corners = np.mean(sides, axis=0)
            for limb in limbs:
                vertices = meshes[limb].vertices.astype(np.float64)
                is_near = np.abs(rest[:, None] - (vertices + origins[limb])).max(axis=2) <= 1
                welded = is_near.any(axis=1)
                posed = vertices @ rotations[limb].T + positions[limb]
                if len(posed):
                    corners[welded] = posed[is_near.argmax(axis=1)[welded]]
            yield self._faces(joints[number], corners)

    def _holsters(self, rotations: Floats, positions: Floats) -> Iterator[RasterFaces]:
        """Yield the holsters on Lara's thighs, with pistols if the level has them (TR4, TR5)."""
        models = HOLSTERS.get(self._level.game, {})
        candidates = [self._meshes_of(models.get(weapon, -1)) for weapon in (_PISTOLS, LARA)]
        meshes = next(filter(None, candidates), [])
        for limb, mesh in HOLSTER_MESHES.items():
            if mesh < len(meshes) and limb < len(rotations):
                yield self._mesh(meshes[mesh], rotations[limb], positions[limb])

    def _meshes_of(self, model: int) -> list[Mesh]:
        """Return the meshes of a model; none if the level does not have it."""
        return self._meshes(self._row(model)) if model in self._level.models["id"] else []

    def _standing_key(self, row: int) -> tuple[NDArray[np.integer], Floats] | None:
        """Return the angles and the place of the first key of a model's standing animation, or None."""
        start, count = (int(each[row]) for each in self._decoded.model_animations)
        if start < 0 or count <= 0:
            return None
        level, number = self._level, int(self._level.models["id"][row])
        states = level.animations["state"][start : start + count].tolist()
        state_names = dict(names(level.game).known("state", number))
        keys = self._decoded.keys.keys(start + idle_animation(level.game, number, states, state_names))
        return (keys.angles[0], keys.offsets[0].astype(np.float64)) if len(keys) else None

    # --- Faces

    def _mesh(self, mesh: Mesh, rotation: Floats, position: Floats) -> RasterFaces:
        return self._faces(mesh, mesh.vertices.astype(np.float64) @ rotation.T + position)

    def _faces(self, mesh: Mesh, corners: Floats) -> RasterFaces:
        """Return the faces of a mesh whose vertices are at some places, (n, 3)."""
        mask = mesh_texture_mask(self._level.game)
        parts = []
        for faces in (mesh.quads, mesh.triangles):
            effects = faces["effects"] if "effects" in (faces.dtype.names or ()) else None
            parts.append(self._textured(corners, faces["vertices"], faces["texture"], mask, effects))
        for faces in (mesh.colored_quads, mesh.colored_triangles):
            parts.append(self._colored(corners, faces))
        return RasterFaces.join(parts)

    def _textured(
        self,
        points: Floats,
        corners: NDArray[np.integer],
        words: NDArray[np.integer],
        mask: int,
        effects: NDArray[np.integer] | None,
    ) -> RasterFaces:
        page, blending, texels = self._textures
        number = texture_index(words, mask)
        is_valid = (corners < len(points)).all(axis=1) & (number < len(page))
        corners, number = corners[is_valid].astype(np.int64), number[is_valid]
        blends = blending[number]
        if effects is not None:
            blends = np.where(ADDITIVE_EFFECT.of(effects[is_valid]) != 0, int(BlendMode.ADDITIVE), blends)
        color, culled = np.ones((len(number), 3, 3)), np.zeros(len(number), np.bool_)
        return RasterFaces.join(
            RasterFaces(
                points[corners[:, order]], texels[number][:, order], page[number], blends, color, culled
            )
            for order in _triangles(corners.shape[1])
        )

    def _colored(self, points: Floats, faces: Records) -> RasterFaces:
        if not len(faces):
            return RasterFaces.empty()
        corners = faces["vertices"].astype(np.int64)
        is_valid = (corners < len(points)).all(axis=1)
        corners, index = corners[is_valid], color_index(faces["texture"], self._level.game)[is_valid]
        flat = self._decoded.colors[np.minimum(index, len(self._decoded.colors) - 1)] / 255
        color = np.repeat(flat[:, None], 3, axis=1)
        zeros, culled = np.zeros(len(corners), np.int64), np.zeros(len(corners), np.bool_)
        return RasterFaces.join(
            RasterFaces(
                points[corners[:, order]], np.zeros((len(corners), 3, 2)), zeros + FLAT, zeros, color, culled
            )
            for order in _triangles(corners.shape[1])
        )

    @cached_property
    def _textures(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """The page, the blend mode and the corners in pixels of every object texture."""
        level = self._level
        decoded = decode_object_textures(level.object_textures, level.game)
        texels = level.object_textures["uv"].astype(np.float64) / RAW_PER_PIXEL
        return decoded.page, decoded.attribute, texels


def _first(records: Records, number: int, section: str) -> int:
    rows = np.flatnonzero(records["id"] == number)
    if not len(rows):
        raise FormatError(section, T("one with the number {number}", number=number), "none")
    return int(rows[0])


def _triangles(corners: int) -> Sequence[list[int]]:
    return [[0, 1, 2]] if corners == 3 else [[0, 1, 2], [0, 2, 3]]
