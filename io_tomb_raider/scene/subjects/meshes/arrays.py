"""Meshes of levels as arrays, and as Blender's meshes that are built of them; `read.py` reads these.

Attributes whose names start with ``tr_`` store values that Blender's layers cannot hold exactly. They are
hints: they survive editing, joining and subdividing, and the exporter compares before it uses them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Material, Mesh
from numpy.typing import NDArray

from ....formats.base import Columns
from ....formats.levels.rooms import CHOSEN, UNSET, FaceSet
from ...core.blender.color import bytes_to_linear
from ...core.stages import Product
from ...mesh.blender_mesh import (
    write_mesh,
)
from ...mesh.poly_mesh import CORNER, FACE, MATERIAL_INDEX, POINT, AttributeArrays, PolyMesh
from ..textures.keys import (
    KeyArray,
    MaterialKey,
    distinct_keys,
    find_slots,
    key_tuples,
)
from ..textures.materials import LevelMaterials
from .origins import SEAL, Attribute, Origins, copied, lengthened, seals, smooth, unknown

COLOR = "Color"
UV_MAP = "UVMap"
VERTEX = "tr_vertex"
LIGHT = "tr_light"
LIGHT2 = "tr_light2"
VERTEX_FLAGS = "tr_attributes"
RAW_COLOR = "tr_color"
NORMAL = "tr_normal"
LAYER = "tr_layer"
TEXTURE = "tr_texture"
EFFECTS = "tr_effects"

PARKED = "tr_parked_faces"
_NAMED_FLAGS = CHOSEN | 0xE01F  # of vertices: waves, caustics, still, and the strength of light modes


def _copy_flags(values: NDArray[Any], origins: Origins) -> None:
    copied(values, origins, _NAMED_FLAGS)


def _unset_flags(values: NDArray[Any], origins: Origins) -> None:
    values[origins.created & (values == 0)] = UNSET


def _copy_layers_of_faces(values: NDArray[Any], origins: Origins) -> None:
    """Put created and mixed vertices into the layer of one of their faces."""
    shape, layers = origins.shape, values.copy()
    if LAYER in shape.face:
        layers[shape.corners] = shape.face[LAYER][shape.face_of_corner]
    values[origins.new] = layers[origins.new]


# All attributes of meshes. Those of collision and of boxes are on faces alone, where zero means none.
ATTRIBUTES = (
    Attribute(VERTEX, "POINT", unknown, unknown),
    Attribute(LIGHT, "POINT"),
    Attribute(LIGHT2, "POINT"),
    Attribute(VERTEX_FLAGS, "POINT", _unset_flags, _copy_flags),
    Attribute(RAW_COLOR, "POINT", mixed=copied),
    Attribute(LAYER, "POINT", _copy_layers_of_faces, _copy_layers_of_faces),
    Attribute(TEXTURE, "FACE"),
    Attribute(EFFECTS, "FACE"),
    Attribute(LAYER, "FACE"),
)
NORMALS = Attribute(NORMAL, "POINT", smooth, lengthened)

# A face that Blender cannot represent: the kind and index of its list in the file, its corners (-1 for none),
# and its words. Scenes store the numbers in sequence.
PARKED_FACE = np.dtype(
    [
        ("kind", "<i4"),
        ("place", "<i4"),
        ("corners", "<i4", (4,)),
        ("texture", "<i4"),
        ("effects", "<i4"),
        ("layer", "<i4"),
    ]
)


@dataclass(frozen=True, eq=False)
class ShownFaces(Columns):
    """The faces of one of a file's lists, and their display in Blender."""

    listed: FaceSet  #: the faces, with corners in Blender's winding.
    uvs: NDArray[np.float32]  #: (n, 3 or 4, 2) float32, in the same order.
    keys: KeyArray  #: (n,) of ``MATERIAL_KEY``.

    @classmethod
    def of(cls, faces: FaceSet, uvs: NDArray[np.float32], keys: KeyArray) -> ShownFaces:
        """Return faces of the file with corners reversed; their UVs already are."""
        return cls(replace(faces, corners=turned_over(faces.corners)), uvs, keys)


@dataclass(eq=False, kw_only=True)
class MeshArrays(PolyMesh):
    """A mesh of a level in Blender's axes and units: float32 positions.

    Its attributes of vertices and faces are int32.
    """

    uvs: NDArray[np.float32] = field(metadata=CORNER)  #: (k, 2) float32.
    keys: KeyArray = field(metadata=FACE)  #: (f,) of ``MATERIAL_KEY``, the keys of the faces' materials.
    colors: NDArray[np.uint8] = field(metadata=POINT)  #: (n, 4) uint8 RGBA per vertex, as displayed.
    #: (n, 3) float32 in Blender's axes with the file's length, or None.
    normals: NDArray[np.float32] | None = field(default=None, metadata=POINT)
    #: (p,) of ``PARKED_FACE``, faces that Blender cannot represent.
    parked: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, PARKED_FACE))
    #: the user's materials, which keys of the kind ``"OWN"`` index.
    own_materials: list[Material] = field(default_factory=list)
    #: warnings about parts of a Blender mesh that are not included.
    notes: list[str] = field(default_factory=list)
    parked_turned: bool = False  #: whether parked faces are flipped.

    @cached_property
    def slots(self) -> tuple[list[MaterialKey], NDArray[np.int32]]:
        """The materials for this mesh, and the slot of every face, (f,)."""
        keys, slots = distinct_keys(self.keys)
        return key_tuples(keys), slots

    @staticmethod
    def prepare_slots(arrays: Sequence[MeshArrays]) -> None:
        """Compute :attr:`slots` of many meshes together, which takes a tenth of the time."""
        for each, slots in zip(arrays, find_slots([each.keys for each in arrays]), strict=True):
            each.__dict__["slots"] = slots

    def flipped(self) -> MeshArrays:
        """Return a mesh with flipped faces, including parked ones."""
        return replace(super().flipped(), parked_turned=not self.parked_turned)


def turned_over(corners: NDArray[Any]) -> NDArray[Any]:
    """Reverse the winding of faces, shape (f, 3 or 4, …), keeping the first corner.

    The games show the side of a face on which its corners are clockwise, Blender the other side.
    """
    turned = np.empty_like(corners)
    count = corners.shape[1]
    for corner in range(count):  # by columns, because short rows take five times as long
        turned[:, corner] = corners[:, -corner % count]
    return turned


def holdable(corners: NDArray[np.int32], vertices: int | NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether Blender can represent faces, corners of shape (f, 3 or 4): distinct, existing vertices.

    ``vertices`` is the number of vertices: one for all, or one for each face.
    """
    columns = np.ascontiguousarray(corners.T)
    fits = np.ones(len(corners), np.bool_)
    for index, column in enumerate(columns):
        fits &= (column >= 0) & (column < vertices)
        for earlier in columns[:index]:  # sorting each face's corners takes ten times as long
            fits &= column != earlier
    return fits


def parked_rows(kind: int, indices: NDArray[np.int64], faces: FaceSet) -> NDArray[np.void]:
    """Return rows of ``PARKED_FACE``, (p,), for faces of the file with their indices in its list."""
    rows = np.zeros(len(indices), PARKED_FACE)
    rows["kind"], rows["place"], rows["corners"] = kind, indices, -1
    rows["corners"][:, : faces.corners.shape[1]] = faces.corners
    rows["texture"], rows["effects"], rows["layer"] = faces.texture, faces.effects, faces.layer
    return rows


def face_name(attribute: str, point: Container[str]) -> str:
    """Return the layer name of a face attribute; names are unique across domains, so it may need a suffix."""
    return f"{attribute}_face" if attribute in point else attribute


# --- Construction of meshes ----------------------------------------

_MANY = 1000  # objects in a file


def build_mesh(name: str, arrays: MeshArrays, materials: LevelMaterials, *, flat: bool = False) -> Mesh:
    """Return a new mesh; faces and vertices keep their order, without validation."""
    return build_meshes([name], [arrays], materials, flat=flat)[0]


def build_meshes(
    names: Sequence[str], arrays: Sequence[MeshArrays], materials: LevelMaterials, *, flat: bool = False
) -> list[Mesh]:
    """Return new meshes like :func:`build_mesh`, but faster in large files."""
    meshes = _with_slots(names, [data.slots[0] for data in arrays], materials)
    for mesh, data in zip(meshes, arrays, strict=True):
        _fill(mesh, data, flat=flat)
    return meshes


def _with_slots(
    names: Sequence[str], slots: Sequence[list[MaterialKey]], materials: LevelMaterials
) -> list[Mesh]:
    """Return empty meshes with material slots.

    Adding a slot makes Blender search all objects of the file, and a copy already has the slots. So meshes
    with few slots are made first.
    """
    is_large = len(bpy.data.objects) > _MANY
    first: dict[tuple[MaterialKey, ...], Mesh] = {}
    meshes: dict[int, Mesh] = {}
    numbers = range(len(names))
    for number in sorted(numbers, key=lambda index: len(slots[index])) if is_large else numbers:
        keys = tuple(slots[number])
        lengths = range(len(keys), 0, -1) if is_large else ()
        copied = next((length for length in lengths if keys[:length] in first), 0)
        if copied:
            mesh = cast(Mesh, first[keys[:copied]].copy())
            mesh.name = names[number]
        else:
            mesh = bpy.data.meshes.new(names[number])
        for key in keys[copied:]:
            mesh.materials.append(materials[key])
        first.setdefault(keys, mesh)
        meshes[number] = mesh
    return [meshes[number] for number in numbers]


def _fill(mesh: Mesh, arrays: MeshArrays, *, flat: bool) -> None:
    """Fill an empty mesh that has its slots."""
    face: AttributeArrays = {face_name(name, arrays.point): values for name, values in arrays.face.items()}
    point: AttributeArrays = {**arrays.point, COLOR: bytes_to_linear(arrays.colors)}
    if arrays.normals is not None:
        point[NORMAL] = arrays.normals
    if VERTEX in arrays.point:
        point[SEAL] = seals(len(arrays.positions))
    if flat or arrays.normals is None:  # means of opposite faces would be black
        face["sharp_face"] = np.ones(len(arrays.sizes), np.bool_)
    face[MATERIAL_INDEX] = arrays.slots[1]
    shape = arrays.positions, arrays.corners, arrays.sizes
    write_mesh(mesh, PolyMesh(*shape, point, {UV_MAP: arrays.uvs}, face))
    if len(arrays.parked):
        mesh[PARKED] = arrays.parked.view("<i4").tolist()


# Of an import.
MESH_ARRAYS: Product[list[MeshArrays]] = Product("MESH_ARRAYS", list)
ROOM_ARRAYS: Product[list[MeshArrays]] = Product("ROOM_ARRAYS", list)
ROOM_MESHES: Product[list[tuple[Mesh, MeshArrays]]] = Product("ROOM_MESHES", list)
MESHES: Product[Mapping[int, Mesh]] = Product("MESHES", dict)
