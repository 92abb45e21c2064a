"""The arrays of a mesh that an object shows: what exports read.

Light may be painted per vertex or per corner. The games only have light per vertex, so a vertex whose corners
differ is split into one vertex per light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from bpy.types import Material, Mesh
from numpy.typing import NDArray

from ....formats.base import T
from ...core.blender.color import bytes_to_linear, linear_to_bytes
from ...mesh.blender_mesh import material_slots, read_ints, read_shape, read_triangles, read_values
from ...mesh.poly_mesh import PolyMesh
from ..textures.keys import NO_MATERIAL, KeyArray, MaterialKey, key_array
from ..textures.materials import MaterialKeys
from .arrays import ATTRIBUTES, NORMAL, NORMALS, PARKED, PARKED_FACE, MeshArrays, face_name
from .layers import NEUTRAL, Shades, read_uvs, shown_color, shown_uv_map
from .limits import MOST_SPLIT
from .normals import automatic_normals, same_direction
from .origins import SEAL, Origins, treat_points

Layers = dict[str, Any]  # of a mesh, by name

_PARKED_WORDS = PARKED_FACE.itemsize // 4
_FACE_LISTS = 4  # of a mesh in the file: quads, triangles, and both with colors
_ALL_SHADES = 2**32  # more than a file can distinguish


def read_mesh(
    mesh: Mesh,
    material_keys: MaterialKeys | None = None,
    materials: Sequence[Material | None] | None = None,
    shades: Shades | None = None,
) -> MeshArrays:
    """Return the arrays of a mesh. Faces of more than four corners are replaced by triangles, in place.

    Args:
        material_keys: the keys of materials; without it all pages count as the level's.
        materials: the materials of the object's slots; without it, the mesh's own.
        shades: see :func:`read_light`.
    """
    # Looked up once, because Blender searches all layers for each name.
    layers: Layers = {layer.name: layer for layer in mesh.attributes}
    shape = read_shape(mesh, layers)
    vertices, faces = len(shape.positions), len(shape.sizes)
    in_slots = [] if materials is None else list(materials)
    # Modifiers may add slots that the object does not have.
    slots = _MaterialSlots(mesh, [*in_slots, *list(mesh.materials)[len(in_slots) :]], shape.sizes)
    uv_map, color = shown_uv_map(mesh), shown_color(mesh)
    notes = layer_notes(mesh, uv_map, color)
    material_keys = material_keys or MaterialKeys()
    keys, own_materials = slots.keys(material_keys)
    uvs = slots.uvs(material_keys, uv_map, notes)
    for attribute in ATTRIBUTES:
        name, columns, count = attribute.name, shape.point, vertices
        if attribute.domain == "FACE":
            name, columns, count = face_name(attribute.name, shape.point), shape.face, faces
        if (values := read_ints(layers.get(name), attribute.domain, count)) is not None:
            columns[attribute.name] = values
    origins = treat_points(layers.get(SEAL), shape, ATTRIBUTES)
    light = read_light(color, shape, shades, origins)
    normals = _read_normals(mesh, layers, shape, origins)
    if len(light.source) > vertices:
        # Copies of a vertex have its normal.
        normals = (automatic_normals(shape) if normals is None else normals)[light.source]
        shape = shape.take(points=light.source)
    arrays = MeshArrays(
        positions=shape.positions,
        corners=light.corner_verts,
        sizes=shape.sizes,
        uvs=uvs,
        keys=keys,
        colors=light.colors,
        point=shape.point,
        face=shape.face,
        normals=normals,
        own_materials=own_materials,
        notes=[*notes, *light.notes],
    )
    if mesh.get(PARKED) is not None:
        arrays.parked = _read_parked(mesh, arrays.notes)
    return _without_ngons(mesh, arrays) if faces and int(arrays.sizes.max()) > 4 else arrays


def _read_parked(mesh: Mesh, notes: list[str]) -> NDArray[np.void]:
    """Return the stored unrepresentable faces of a mesh, (p,), without invalid ones."""
    stored: Any = mesh[PARKED]
    words = np.array(stored, "<i4") if getattr(stored, "typecode", "") == "i" else np.zeros(0, "<i4")
    rows = words[: len(words) // _PARKED_WORDS * _PARKED_WORDS].view(PARKED_FACE)
    kind, corners = rows["kind"], rows["corners"]
    is_valid = (kind >= 0) & (kind < _FACE_LISTS) & (rows["place"] >= 0)
    is_quad = kind % 2 == 0
    is_valid &= (corners[:, :3] >= 0).all(axis=1) & ((corners[:, 3] >= 0) == is_quad)
    if not len(words) or len(words) % _PARKED_WORDS or not is_valid.all():
        notes.append(T("faces that only the game can draw are damaged, and are left out"))
    return rows[is_valid]


class _MaterialSlots:
    """The materials of faces, and their keys and UVs."""

    def __init__(self, mesh: Mesh, materials: list[Material | None], sizes: NDArray[np.int32]) -> None:
        self._mesh, self._materials, self._sizes = mesh, materials, sizes
        slots = material_slots(mesh)
        # For small meshes five times faster than clip().
        self._slots = np.minimum(np.maximum(slots, 0), max(len(materials) - 1, 0))

    def keys(self, material_keys: MaterialKeys) -> tuple[KeyArray, list[Material]]:
        """Return every face's material key, and the user's own materials, which keys index.

        Faces without a material have the kind ``"NONE"``; the caller reports them.
        """
        own_materials: list[Material] = []
        keys: list[MaterialKey] = []
        for material in self._materials:
            key = None if material is None else material_keys[material]
            if material is None:
                keys.append(NO_MATERIAL)
            elif key is not None:
                keys.append(key)
            else:
                if material not in own_materials:
                    own_materials.append(material)
                keys.append(NO_MATERIAL._replace(kind="OWN", page=own_materials.index(material)))
        return key_array(keys or [NO_MATERIAL]).take(self._slots), own_materials

    def uvs(self, material_keys: MaterialKeys, uv_map: Any | None, notes: list[str]) -> NDArray[np.float32]:
        """Return UVs of corners on their images, (k, 2), and append warnings to the notes."""
        mesh, corners = self._mesh, len(self._mesh.loops)
        uvs = read_uvs(uv_map, corners)
        if uv_map is None and len(self._sizes):
            textured = [each is not None and material_keys.is_textured(each) for each in self._materials]
            count = int(np.array([*textured, False])[self._slots].sum())
            if count:
                notes.append(
                    T(
                        "it has no UV map, so {count} of its faces show one pixel of their textures: add one "
                        "(Object Data > UV Maps) and unwrap them, or undo",
                        count=count,
                    )
                )
        for slot, material in enumerate(self._materials):
            placed = None if material is None else material_keys.coordinates(material)
            if material is None or placed is None or placed.is_plain:
                continue
            rows = np.repeat(self._slots == slot, self._sizes)
            layer = mesh.uv_layers.get(placed.uv_map) if placed.uv_map else uv_map
            if layer is None and rows.any():
                text = T(
                    "{material} shows its image by the UV map {uv_map}, which is missing",
                    material=material.name,
                    uv_map=placed.uv_map,
                )
                notes.append(T("{text}: the rendered one is exported", text=text))
                layer = uv_map
            uvs[rows] = placed.apply(read_uvs(layer, corners)[rows])
        return uvs


def _read_normals(
    mesh: Mesh, layers: Layers, shape: PolyMesh, origins: Origins
) -> NDArray[np.float32] | None:
    """Return the file's normals, replaced by custom normals of the mesh where those differ.

    A custom normal equal to Blender's automatic one is not an edit either, because setting one sets all.
    """
    layer = layers.get(NORMAL)
    if layer is None or layer.domain != "POINT" or layer.data_type != "FLOAT_VECTOR":
        return None
    normals: NDArray[np.float32] = NORMALS.treat(read_values(layer, len(shape.positions)), origins)
    if not mesh.has_custom_normals or not len(shape.corners):
        return normals
    corner_normals = np.empty((len(shape.corners), 3), np.float32)
    mesh.corner_normals.foreach_get("vector", corner_normals.ravel())
    automatic = automatic_normals(shape)
    custom = average_corners(corner_normals, shape.corners, len(normals), automatic)
    edited = ~same_direction(custom, normals) & ~same_direction(custom, automatic)
    lengths = np.linalg.norm(normals[edited], axis=1)
    unit = custom[edited] / np.maximum(np.linalg.norm(custom[edited], axis=1), 1e-12)[:, None]
    normals[edited] = unit * np.where(lengths > 0, lengths, 16384)[:, None]
    return normals


def _without_ngons(mesh: Mesh, arrays: MeshArrays) -> MeshArrays:
    """Replace faces of more than four corners by Blender's triangles."""
    loops, polygon = read_triangles(mesh)
    big = arrays.sizes > 4
    loops, polygon = loops[big[polygon]], polygon[big[polygon]]
    unchanged = np.flatnonzero(~big)
    source = np.concatenate((unchanged, polygon))
    order = np.argsort(source, kind="stable")
    source = source[order]
    sizes = np.concatenate((arrays.sizes[unchanged], np.full(len(polygon), 3, np.int32)))[order]
    shift = arrays.starts[source] - (sizes.cumsum() - sizes)
    corner = np.repeat(shift, sizes) + np.arange(int(sizes.sum()))
    # Both the triangles and the faces are in order, so they match.
    corner[np.repeat(big[source], sizes)] = loops[np.argsort(polygon, kind="stable")].ravel()
    return replace(arrays.take(corners=corner, faces=source), sizes=sizes)


def layer_notes(mesh: Mesh, uv: Any | None, color: Any | None) -> list[str]:
    """Return warnings about layers that users edit although others are rendered."""
    notes: list[str] = []
    edited = mesh.uv_layers.active
    if uv is not None and edited is not None and edited.name != uv.name:
        notes.append(
            T(
                "its UV map {uv} is the rendered one and is exported; {edited} is left out: click "
                "the camera icon next to it in the list of UV maps to export that one",
                uv=uv.name,
                edited=edited.name,
            )
        )
    name = mesh.attributes.active_color_name
    if color is not None and name and name in mesh.color_attributes and name != color.name:
        notes.append(
            T(
                "its color attribute {color} is the rendered one and is exported; {name} is left "
                "out: click the camera icon next to it in the list of color attributes to export "
                "that one",
                color=color.name,
                name=name,
            )
        )
    return notes


# --- Light ---


@dataclass
class VertexLight:
    """The displayed light of a mesh, and its vertices, some of which may be split."""

    colors: NDArray[np.uint8]  #: (n, 4) uint8 RGBA per vertex, as displayed.
    corner_verts: NDArray[np.int32]  #: (k,) int32 vertex of every corner.
    #: (n,) int64 Blender's vertex of each vertex: all of them in order, then copies.
    source: NDArray[np.int64]
    notes: list[str] = field(default_factory=list)  #: warnings.


def read_light(layer: Any | None, shape: PolyMesh, shades: Shades | None, origins: Origins) -> VertexLight:
    """Return the light of a mesh's vertices, from the rendered color attribute.

    ``shades`` is the light in the file, for meshes whose vertices have light; otherwise colors of corners are
    averaged.
    """
    vertices, corner_verts = len(shape.positions), shape.corners
    colors = np.full((vertices, 4), NEUTRAL, np.uint8)
    light = VertexLight(colors, corner_verts, np.arange(vertices))
    if layer is None:
        if shades is not None and vertices:
            light.notes.append(
                T(
                    "it has no color attribute, so it gets half light, as Blender shows it: add one "
                    "(Object Data > Color Attributes) to light it"
                )
            )
        return light
    values = np.empty((len(layer.data), 4), np.float32)
    if not len(values):
        return light
    layer.data.foreach_get("color", values.ravel())
    of_corners = layer.domain == "CORNER"
    unpainted = light_unpainted(values, corner_verts if of_corners else None, origins)
    if unpainted and shades is not None:
        light.notes.append(
            T(
                "{unpainted} of its vertices have no painted light: they get the average light of the others",
                unpainted=unpainted,
            )
        )
    if not of_corners:
        light.colors = linear_to_bytes(values)
        return light
    stored = None if shades is None else shades.stored(shape.point)
    if stored is not None:
        colors[:, :3] = stored  # for vertices without faces, which sprites use
    light.colors = linear_to_bytes(average_corners(values, corner_verts, vertices, bytes_to_linear(colors)))
    if shades is not None:
        _split(light, linear_to_bytes(values), shades)
    return light


def light_unpainted(
    values: NDArray[np.float32], corner_verts: NDArray[np.int32] | None, origins: Origins
) -> int:
    """Give colors that nobody painted, (n, 4) linear, the average of the others, in place.

    Blender fills them with zeros or, depending on its version and the tool, with white. A new color
    without alpha was not painted, and one mixed with such colors has a part of their alpha.

    ``corner_verts`` has the vertex of every corner; without it, the colors are those of vertices. Return how
    many vertices nobody painted.
    """
    if not origins.has_new:
        return 0
    rows = np.arange(len(values)) if corner_verts is None else corner_verts
    unpainted = origins.new[rows] & ~values.any(axis=1)
    if origins.mixed.any():
        alpha = values[:, 3]
        partly = origins.mixed[rows] & (alpha > 0) & (alpha < 1)
        values[partly] /= alpha[partly, None]
    if origins.created.any():
        # Joined meshes or primitives that are white all over have never been painted.
        white = np.ones(len(origins.created), np.int8)
        np.minimum.at(white, rows, ((values == 1).all(axis=1) | ~origins.created[rows]).astype(np.int8))
        unpainted |= (origins.spread(white, origins.created) > 0)[rows] & origins.created[rows]
    if not unpainted.any():
        return 0
    painted = values[~unpainted]
    values[unpainted] = painted.mean(axis=0) if len(painted) else bytes_to_linear(np.array([NEUTRAL]))
    return len(np.unique(rows[unpainted]))


def _split(light: VertexLight, painted: NDArray[np.uint8], shades: Shades) -> None:
    """Split the vertices whose corners' colors, (k, 4) uint8, differ in the file."""
    vertices = len(light.colors)
    pairs = light.corner_verts.astype(np.int64) * _ALL_SHADES + shades.of(painted[:, :3])
    lit, first, of_corner = np.unique(pairs, return_index=True, return_inverse=True)
    vertex = lit // _ALL_SHADES
    differing = int((np.bincount(vertex, minlength=vertices) > 1).sum())
    if not differing:
        return
    # The first corner keeps the vertex number, which sprites and hidden faces refer to.
    earliest = np.full(vertices, len(pairs))
    np.minimum.at(earliest, vertex, first)
    is_new = first != earliest[vertex]
    total = vertices + int(is_new.sum())
    if total > MOST_SPLIT:
        light.notes.append(
            T(
                "light painted per corner is averaged at {count} vertices: {needed} would be needed, "
                "and {most} are safe; divide the mesh, or paint light per vertex",
                count=differing,
                needed=total,
                most=MOST_SPLIT,
            )
        )
        return
    number = vertex.copy()
    number[is_new] = np.arange(vertices, total)
    light.corner_verts = number[of_corner.reshape(-1)].astype(np.int32)
    light.source = np.concatenate([light.source, vertex[is_new]])
    light.colors = light.colors[light.source]
    light.colors[number] = painted[first]


def average_corners(
    values: NDArray[np.float32], corner_verts: NDArray[np.int32], vertices: int, fallback: NDArray[Any]
) -> NDArray[np.float32]:
    """Average values per corner, shape (k, c), over each vertex; loose vertices keep the fallback."""
    counts = np.bincount(corner_verts, minlength=vertices)
    sums = np.stack([np.bincount(corner_verts, column, minlength=vertices) for column in values.T], axis=1)
    out = np.array(fallback, np.float32)
    used = counts > 0
    out[used] = (sums[used] / counts[used, None]).astype(np.float32)
    return out
