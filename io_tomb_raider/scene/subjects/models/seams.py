"""Vertices of Lara that TR4 and TR5 find by their numbers: at her joints, and where her hair grows.

When a level is loaded, the engines search the vertices of limbs that coincide with those of joints, and keep
their numbers as signed bytes in small tables. Where a weapon replaces a hand, they use the numbers of her
skin's hand. The vertices of hair have the same numbers in all levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....catalogue import DRAWN, DULL_JOINTS, HAIR, HEAD, JOINTS, SKINS, WELDED
from ....formats import ExportError, Game
from ....formats.base import T
from ....formats.levels.meshes import Mesh as FileMesh
from ....formats.levels.textures import SHINE_EFFECT
from ...core.context import ExportContext
from ...core.membership import members_of
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from ..meshes.arrays import EFFECTS, VERTEX, MeshArrays
from .bones import own_bones
from .hair import SEGMENT, tails_of

_DULL = T("the game draws shine incorrectly on the joints between Lara's limbs: remove it there")
_NEAR = 1  # units along each axis
_HIGHEST = 127  # of the numbers of vertices, signed bytes
_COUNTED = 0x100  # the vertices of a limb are counted in a byte
MOST_PAIRS, MOST_FREE, MOST_VERTICES = 11, 11, 32  # entries of the engines' tables of a joint


class Seams:
    """The meshes of an export that have such vertices; none in games without joints."""

    def __init__(self, context: ExportContext, users: Mapping[Mesh, Sequence[Object]]) -> None:
        self._context, self._game = context, context.original.game
        self._changed: dict[Mesh, MeshArrays] = {}
        self._parts: dict[tuple[int, int], tuple[Mesh, Object]] = {}
        self._origins: dict[tuple[int, int], NDArray[np.int64]] = {}
        if self._game in JOINTS:
            for mesh, objects in users.items():
                for obj in objects:
                    model, bone = _model_and_bone(obj)
                    if bone >= 0:
                        self._parts.setdefault((model, bone), (mesh, obj))
        self._skin, self._joints = SKINS.get(self._game, -1), JOINTS.get(self._game, -1)
        drawn = {**DRAWN[self._game], self._skin: range(HEAD + 1)}
        self._limbs: dict[Mesh, set[int]] = {}
        for (model, bone), (mesh, _) in self._parts.items():
            if bone in drawn.get(model, ()):
                self._limbs.setdefault(mesh, set()).add(bone)

    def ordered(self, mesh: Mesh, name: str, arrays: MeshArrays, original: FileMesh | None) -> MeshArrays:
        """Return the arrays of a changed mesh with those vertices at numbers that the engines find.

        Vertices of the file get their number back; others are exchanged with vertices of low numbers.
        """
        if not self._parts:
            return arrays
        limbs, count = self._limbs.get(mesh, set()), len(arrays.positions)
        seam = np.zeros(count, np.bool_)
        points = self._context.space.to_file_int(arrays.positions, name, "a vertex")
        for limb in limbs:
            for joint, sides in WELDED.items():
                if limb in sides and (self._joints, joint) in self._parts:
                    seam |= self._pairs(joint, limb, points).any(axis=0)
        order, fixed = np.arange(count), set[int]()
        if VERTEX in arrays.point and original is not None:
            roots = self._hair_numbers(mesh, limbs, original)
            for number, vertex in _numbered_vertices(arrays.point[VERTEX], points, seam, roots, original):
                _exchange(order, number, vertex)
                fixed.add(number)
        highest = min(_HIGHEST, count % _COUNTED - 1)
        low = [place for place in range(highest + 1) if not seam[order[place]] and place not in fixed]
        high = [place for place in range(highest + 1, count) if seam[order[place]]]
        for place, free in zip(high, low, strict=False):
            _exchange(order, free, int(order[place]))
        if len(high) > len(low):
            text = T(
                "{count} of its vertices at joints have numbers above {most}",
                count=len(high) - len(low),
                most=max(highest, 0),
            )
            self._warn(
                name, T("{text}, which the game does not match: give the mesh fewer vertices", text=text)
            )
        if not np.array_equal(order, np.arange(count)):
            arrays = _reordered(arrays, order)
        self._changed[mesh] = arrays
        return arrays

    def check(self) -> None:
        """Warn of changed joints that the engines' tables cannot hold."""
        for joint, limbs in WELDED.items():
            mesh, obj = self._parts.get((self._joints, joint), (None, None))
            pairs = {}
            for limb in limbs if mesh is not None else ():
                limb_mesh, part = self._parts.get((self._skin, limb), (None, None))
                if limb_mesh is not None and part is not None and {mesh, limb_mesh} & self._changed.keys():
                    pairs[part.name] = self._pairs(joint, limb, self._points(limb_mesh, part))
            if obj is None or not pairs:
                continue
            for name, near in pairs.items():
                if (pair_count := int(near.sum())) > MOST_PAIRS:
                    text = T(
                        "it meets {name} at {count} pairs of vertices, and the game supports {most}",
                        name=name,
                        count=pair_count,
                        most=MOST_PAIRS,
                    )
                    self._warn(obj.name, T("{text}: merge vertices there, or move some apart", text=text))
            faces = {} if mesh is None or mesh not in self._changed else self._changed[mesh].face
            shiny = int((SHINE_EFFECT.of(faces[EFFECTS]) != 0).sum()) if EFFECTS in faces else 0
            if shiny and self._game in DULL_JOINTS:
                self._warn(obj.name, T("{count} of its faces shine: {remedy}", count=shiny, remedy=_DULL))
            count = len(next(iter(pairs.values())))
            free = count - int(np.any([near.any(axis=1) for near in pairs.values()], axis=0).sum())
            if count > MOST_VERTICES:
                text = T(
                    "the joint has {count} vertices, and the game supports {most}",
                    count=count,
                    most=MOST_VERTICES,
                )
                self._warn(obj.name, T("{text}: remove some", text=text))
            elif len(pairs) == len(limbs) and free > MOST_FREE:
                text = T(
                    "{count} of its vertices meet no limb, and the game supports {most}",
                    count=free,
                    most=MOST_FREE,
                )
                self._warn(
                    obj.name, T("{text}: remove some, or move them to vertices of the limbs", text=text)
                )

    def _warn(self, name: str, text: str) -> None:
        self._context.report.warn(name, text)

    def _pairs(self, joint: int, limb: int, points: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which vertices of a joint and of a limb, given in its own space, coincide at rest."""
        mesh, obj = self._parts[self._joints, joint]
        joint_points = self._points(mesh, obj) + self._origin(self._joints, joint)
        limb_points = points + self._origin(self._skin, limb)
        return np.abs(joint_points[:, None] - limb_points[None]).max(axis=2) <= _NEAR

    def _points(self, mesh: Mesh, obj: Object) -> NDArray[np.int64]:
        """Return the vertices of a mesh in units of the file, (n, 3)."""
        arrays = self._changed.get(mesh)
        positions = vertices_of(mesh) if arrays is None else arrays.positions
        return self._context.space.to_file_int(positions, obj.name, "a vertex")

    def _origin(self, model: int, bone: int) -> NDArray[np.int64]:
        """Return where a mesh hangs at rest, relative to the first one, in units of the file."""
        if (model, bone) not in self._parts:
            return np.zeros(3, np.int64)
        if (model, bone) not in self._origins:
            armature: Any = self._parts[model, bone][1].parent
            heads = {int(each.tomb_raider.index): each.head_local for each in own_bones(armature)}
            position = heads[bone] - heads.get(0, heads[bone])
            origin = self._context.space.to_file_int(list(position), armature.name, "a bone")
            self._origins[model, bone] = origin
        return self._origins[model, bone]

    def _hair_numbers(self, mesh: Mesh, limbs: set[int], original: FileMesh) -> set[int]:
        """Return the numbers of vertices that the engines' tables of hair name."""
        if HEAD in limbs:
            return {root for tail in tails_of(original.vertices.astype(float)) for root in tail.roots}
        model = HAIR[self._game]
        is_hair = any(part is mesh for (number, _), (part, _) in self._parts.items() if number == model)
        return set(range(min(SEGMENT, len(original.vertices)))) if is_hair else set()


def refuse_to_shine(root: Collection, mesh: Mesh) -> None:
    """Refuse to let a joint between Lara's limbs shine where the game cannot draw that.

    Raises:
        ExportError: if the mesh is such a joint.
    """
    game = Game[root.tomb_raider.game]
    if game in DULL_JOINTS:
        for obj in members_of(root, Kind.MODEL_MESH):
            if obj.data == mesh and _model_and_bone(obj)[0] == JOINTS[game]:
                raise ExportError(obj.name, _DULL)


def _model_and_bone(obj: Object) -> tuple[int, int]:
    """Return the id of the model and the number of the bone that a mesh object hangs on, -1 if on none."""
    armature: Any = obj.parent
    if armature is None or armature.type != "ARMATURE" or obj.parent_type != "BONE":
        return -1, -1
    bone = armature.data.bones.get(obj.parent_bone)
    return int(armature.tomb_raider.model.id), -1 if bone is None else int(bone.tomb_raider.index)


def _numbered_vertices(
    numbers: NDArray[np.int32],
    points: NDArray[np.int64],
    seam: NDArray[np.bool_],
    roots: set[int],
    original: FileMesh,
) -> Iterator[tuple[int, int]]:
    """Yield the numbers in the file of vertices at joints and in hair, each with its vertex."""
    numbers_wanted = roots | set(numbers[seam].tolist())
    for number in sorted(numbers_wanted):
        if 0 <= number < min(len(original.vertices), len(numbers)):
            vertices = np.flatnonzero((numbers == number) & (seam | (number in roots)))
            if len(vertices):  # copies of a vertex, and new ones, may have its number
                away = np.abs(points[vertices] - original.vertices[number]).sum(axis=1)
                yield number, int(vertices[away.argmin()])


def _exchange(order: NDArray[np.int64], number: int, vertex: int) -> None:
    """Put a vertex at a place, and the vertex there at its own."""
    old = int(np.flatnonzero(order == vertex)[0])
    order[number], order[old] = vertex, order[number]


def _reordered(arrays: MeshArrays, order: NDArray[np.int64]) -> MeshArrays:
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    parked = arrays.parked.copy()
    corners = parked["corners"]
    is_inside = (corners >= 0) & (corners < len(order))
    parked["corners"] = np.where(is_inside, numbers[np.where(is_inside, corners, 0)], corners)
    return replace(arrays.merge(order, numbers), parked=parked)
