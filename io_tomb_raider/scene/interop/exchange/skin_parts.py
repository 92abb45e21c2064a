"""Split Skin: a skin becomes rigid meshes on the bones of its model, for games that do not bend meshes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....catalogue import JOINTS, SKINS, WELDED
from ....formats import Game
from ....formats.base import LARA, Bools, Ints
from ...core.membership import members_of
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_all, rewrite_mesh
from ...mesh.poly_mesh import PolyMesh, transformed
from ...mesh.vertex_weights import read_weights
from ...subjects.meshes.shown import shown_mesh
from ...subjects.models.bones import own_bones
from ...subjects.models.seams import MOST_FREE, MOST_PAIRS, MOST_VERTICES
from ...subjects.skins.skins import PART, show_skin
from ...transfer.append.replace import parts_of, put_mesh

# The weight of both limbs on a vertex of a joint, the first that makes the joint small enough.
_BLENDED = (0.375, 0.45, 1.0)
_SHARED = 0.4  # the mean weight of a bone on a face that it shares with another one
_KEPT = 0.5  # the mean weight of its bones on a face of a former mesh, unless that was repainted
_SAME = 0.5  # units between vertices of one place
_HEIGHT = 0.6  # of a cap, by the least radius of its hole


@dataclass
class _Cut:
    """A skin, and the parts that its faces go to."""

    shape: PolyMesh  #: in the space of the armature.
    weights: NDArray[np.float64]  #: (v, bones), their sum is 1.
    on_faces: NDArray[np.float64]  #: (f, bones), their mean on each face.
    former: NDArray[np.int32]  #: (f,) the part that a face was of, as `PART`, 0 for none.
    bone: NDArray[np.int64]  #: (f,) the bone of each face.
    joint: NDArray[np.int64]  #: (f,) the joint of each face, -1 for none.

    @classmethod
    def of(cls, shape: PolyMesh, weights: NDArray[np.floating], joints: set[int]) -> _Cut:
        """Return a cut along the bones with the most weight on each face, or along its former parts."""
        shares = weights / np.maximum(weights.sum(axis=1, dtype=np.float64, keepdims=True), 1e-12)
        on_faces, rows = shape.means(shares), np.arange(len(shape.sizes))
        former = shape.face.pop(PART, np.zeros(len(rows), np.int32))
        limb = (former - 1).clip(0, weights.shape[1] - 1)
        joint = np.where(np.isin(-former, [*joints]), -former, -1)
        sides = np.array([WELDED.get(each, (0, 0)) for each in joint.tolist()], np.int64).reshape(-1, 2)
        sides = sides.clip(0, weights.shape[1] - 1)
        joint[on_faces[rows[:, None], sides].sum(axis=1) <= _KEPT] = -1
        is_limb = (former > 0) & (on_faces[rows, limb] > _KEPT)
        former = np.where(is_limb | (joint >= 0), former, 0)
        return cls(
            shape,
            shares.astype(np.float64),
            on_faces,
            former,
            np.where(is_limb, limb, on_faces.argmax(axis=1)),
            joint,
        )

    def add_joint(self, number: int) -> None:
        """Give a joint the faces that both of its limbs bend, if the engine's tables can hold them."""
        sides = WELDED[number]
        is_open = (self.former == 0) & np.isin(self.bone, sides)
        strongest = self.weights.argmax(axis=1)
        is_mixed = self._any(strongest == sides[0]) & self._any(strongest == sides[1])
        both = self.weights[:, sides].min(axis=1)
        for least in _BLENDED:
            faces = (self.joint == number) | (is_open & (is_mixed | self._any(both >= least)))
            vertices = self._vertices(faces)
            limbs = [
                self._vertices((self.bone == limb) & (self.joint < 0) & ~faces) & vertices for limb in sides
            ]
            free = vertices - limbs[0] - limbs[1]
            fits = len(vertices) <= MOST_VERTICES and len(free) <= MOST_FREE
            if fits and max(map(len, limbs)) <= MOST_PAIRS:
                self.joint[faces] = number
                return

    def faces_of(self, limb: int) -> Bools:
        """Return the faces of a limb, (f,): its own, and those that it shares where no joint is between."""
        shared = (self.former == 0) & (self.on_faces[:, limb] >= _SHARED)
        for number in np.unique(self.joint[self.joint >= 0]).tolist():
            if limb in WELDED[number]:
                shared &= ~np.isin(self.bone, WELDED[number])
        return np.asarray((self.joint < 0) & ((self.bone == limb) | shared))

    def limb(self, limb: int, near: float) -> PolyMesh:
        """Return the mesh of a limb, with caps on the holes where it was cut.

        Args:
            near: the distance of vertices at one place.
        """
        shape, is_own, face = self.shape, self.faces_of(limb), self.shape.face_of_corner
        joints = [number for number, sides in WELDED.items() if limb in sides]
        is_other = ~is_own & ~np.isin(self.joint, joints)
        after = np.arange(1, len(face) + 1)
        after[shape.starts + shape.sizes - 1] = shape.starts
        _, place = np.unique(np.rint(shape.positions / near), axis=0, return_inverse=True)
        ends = place.reshape(-1)[shape.corners[np.stack([np.arange(len(face)), after], axis=1)]]
        _, edge = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
        edge = edge.reshape(-1)

        def count(faces: Bools) -> NDArray[np.int64]:
            return np.bincount(edge[faces[face]], minlength=len(edge))[edge]

        # Between former parts, the hole was there before.
        is_new = self.former == 0
        is_cut = (count(is_other & is_new) > 0) | (is_new[face] & (count(is_other) > 0))
        rim = np.flatnonzero(is_own[face] & is_cut & (count(is_own) == 1))
        return _capped(shape, np.flatnonzero(is_own), rim, after, ends[rim])

    def _any(self, vertices: Bools) -> Bools:
        return np.asarray(self.shape.means(vertices[:, None].astype(float))[:, 0] > 0)

    def _vertices(self, faces: Bools) -> set[int]:
        return set(self.shape.corners[faces[self.shape.face_of_corner]].tolist())


def _capped(shape: PolyMesh, faces: Ints, rim: Ints, after: Ints, ends: Ints) -> PolyMesh:
    """Return some faces of a mesh, with a fan of triangles on each hole.

    The triangles show what the faces along the hole show.

    Args:
        rim: (r,) the first corners of the edges along holes.
        after: (k,) the next corner of each corner.
        ends: (r, 2) the places of both ends of these edges.
    """
    tips, rows, numbers = list[NDArray[Any]](), list[int](), list[int]()
    points = shape.positions.astype(np.float64)
    for hole in _holes(ends):
        edges = points[shape.corners[np.stack([rim[hole], after[rim[hole]]], axis=1)]]
        middle = edges[:, 0].mean(axis=0)
        first, second = np.moveaxis(edges - middle, 1, 0)
        normal = np.cross(second, first).sum(axis=0)
        height = _HEIGHT * np.linalg.norm(first, axis=1).min()
        numbers += [len(points) + len(tips)] * len(hole)
        tips.append(middle + normal * (height / max(float(np.linalg.norm(normal)), 1e-12)))
        rows += rim[hole].tolist()
    starts = np.array(rows, np.int64)
    corners = np.stack([after[starts], starts, after[after[starts]]], axis=1)
    fans = np.stack(
        [shape.corners[corners[:, 0]], shape.corners[corners[:, 1]], np.array(numbers, np.int64)], axis=1
    )
    own = np.flatnonzero(np.isin(shape.face_of_corner, faces))
    # A tip has the attributes of a vertex of its hole.
    like = [rows[numbers.index(number)] for number in dict.fromkeys(numbers)]
    result = shape.take(
        points=np.append(np.arange(len(points)), shape.corners[like]),
        corners=np.append(own, corners.ravel()),
        faces=np.append(faces, shape.face_of_corner[starts]),
    )
    result.positions[len(points) :] = np.array(tips).reshape(-1, 3)
    return replace(
        result,
        corners=np.append(shape.corners[own], fans.ravel()).astype(np.int32),
        sizes=np.append(shape.sizes[faces], np.full(len(starts), 3)).astype(np.int32),
    ).without_loose()


def _holes(ends: Ints) -> Iterator[Ints]:
    """Yield the edges of each closed chain, from the numbers of their ends, (n, 2)."""
    group = np.arange(ends.max(initial=-1) + 1)
    while True:
        least = group[ends].min(axis=1)
        new = group.copy()
        for column in ends.T:
            np.minimum.at(new, column, least)
        if np.array_equal(new, group):
            break
        group = new
    for number in np.unique(group[ends]).tolist():
        chain = np.flatnonzero(group[ends[:, 0]] == number)
        if np.array_equal(*np.sort(ends[chain], axis=0).T):
            yield chain


def split_skin(root: Collection, skin: Object, *, keep: bool = False) -> list[Object]:
    """Replace the meshes on the bones of a model by the parts of its skin; return their objects.

    Each face goes to the bone with the most weight on it, or to the mesh of which the skin was made. In a
    game that draws joints between Lara's limbs, faces that two limbs bend become her joints, as far as the
    engine can hold them. Elsewhere limbs share such faces, and get caps, so that no hole is seen in poses.

    Args:
        keep: keep the skin.
    """
    armature: Any = skin.parent
    bones, parts = own_bones(armature), parts_of(armature)
    with shown_mesh(skin) as mesh:
        shape = read_all(mesh)
        weights = read_weights(skin, mesh, [bone.name for bone in bones])
    matrix = skin.matrix_parent_inverse @ skin.matrix_basis
    shape.positions = transformed(shape.positions, matrix).astype(np.float32)
    joints = _joints(root, armature, len(bones))
    cut = _Cut.of(shape, weights, set(joints))
    for number in joints:
        cut.add_joint(number)
    changed = [
        _put(joint, skin, shape.take_faces(cut.joint == number).without_loose(), bones[number].head_local)
        for number, joint in joints.items()
    ]
    for number, bone in enumerate(bones):
        if bone.name in parts:
            limb = cut.limb(number, _SAME * root.tomb_raider.scale)
            changed.append(_put(parts[bone.name], skin, limb, bone.head_local))
            parts[bone.name].data.tomb_raider.is_hidden &= keep
    if not keep:
        data: Any = skin.data
        bpy.data.objects.remove(skin)
        if not data.users:
            bpy.data.meshes.remove(data)
    show_skin(armature)
    return changed


def _joints(root: Collection, armature: Object, bones: int) -> dict[int, Object]:
    """Return the meshes of the joints that the game draws between the limbs of a model, by number."""
    game = Game[root.tomb_raider.game]
    if game not in JOINTS or armature.tomb_raider.model.id not in (SKINS.get(game, LARA), LARA):
        return {}
    for model in members_of(root, Kind.MODEL):
        joints = own_bones(model) if model.tomb_raider.model.id == JOINTS[game] else []
        if len(joints) == bones:
            parts = parts_of(model)
            numbers = enumerate(bone.name for bone in joints)
            return {number: parts[name] for number, name in numbers if number in WELDED and name in parts}
    return {}


def _put(part: Object, skin: Object, piece: PolyMesh, head: Any) -> Object:
    """Give a part of a model some faces of a skin, relative to the head of its bone."""
    before: Any = part.data
    piece.positions = (piece.positions - np.array(head)).astype(np.float32)
    mesh: Any = skin.data.copy()
    assert isinstance(mesh, Mesh)
    rewrite_mesh(mesh, piece)
    mesh.name = before.name
    settings = mesh.tomb_raider
    settings.flags, settings.radius = before.tomb_raider.flags, 0  # exports compute the sphere
    settings.is_hidden = before.tomb_raider.is_hidden
    put_mesh(part, mesh)
    if not before.users:
        bpy.data.meshes.remove(before)
    return part
