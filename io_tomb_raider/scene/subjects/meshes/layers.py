"""Rendered layers of a mesh: its UV map and its color attribute, and the resulting light.

A mesh may have several of both. The rendered one, with the camera icon in the list, is exported; the selected
one is edited. Light may be painted per vertex or per corner. The games only have light per vertex, so a
vertex whose corners differ is split into one vertex per light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats.base import T
from ...core.blender.color import bytes_to_linear, linear_to_bytes
from ...core.reporting.report import Report
from ...mesh.poly_mesh import PolyMesh
from .limits import MOST_SPLIT
from .origins import Origins

_NEUTRAL = (128, 128, 128, 255)
_ALL_SHADES = 2**32  # more than a file can distinguish


class Shades(NamedTuple):
    """Light of vertices in a file."""

    #: a function that returns equal numbers (k,) for screen colors (k, 3) uint8 that are equal in the file.
    of: Callable[[NDArray[np.uint8]], NDArray[Any]]
    #: a function that returns the screen colors (n, 3) in the file by integer attributes, or None.
    stored: Callable[[Mapping[str, NDArray[np.int32]]], NDArray[np.uint8] | None]


def shown_uv_map(mesh: Mesh) -> Any | None:
    """Return the rendered UV map, or None."""
    layers = mesh.uv_layers
    return next((layer for layer in layers if layer.active_render), layers.active)


def shown_color(mesh: Mesh) -> Any | None:
    """Return the rendered color attribute, or None."""
    colors = mesh.color_attributes
    names = mesh.attributes.default_color_name, mesh.attributes.active_color_name
    rendered = next((colors[name] for name in names if name and name in colors), None)
    # Scripts may remove the rendered one, and Blender 5.2 keeps its name.
    return rendered if rendered is not None or not len(colors) else colors[0]


def add_light(mesh: Mesh) -> None:
    """Add a color attribute of half light, which leaves textures unchanged, if a mesh has none."""
    if shown_color(mesh) is None and len(mesh.vertices):
        mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT")
        set_half_light(mesh)


def set_half_light(mesh: Mesh) -> None:
    """Set the rendered color attribute of a mesh, if there is one, to half light."""
    colors = shown_color(mesh)
    if colors is not None:
        half = np.array(_NEUTRAL, np.float32) / 255
        colors.data.foreach_set("color_srgb", np.tile(half, len(colors.data)))


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


def read_uvs(layer: Any | None, corners: int) -> NDArray[np.float32]:
    """Return a UV map, (corners, 2); zeros without one."""
    uvs = np.zeros((corners, 2), np.float32)
    if layer is not None and corners:
        layer.uv.foreach_get("vector", uvs.ravel())
    return uvs


def write_uvs(mesh: Mesh, layer: Any, uvs: NDArray[np.float32]) -> None:
    """Write a UV map, (corners, 2), of a mesh outside edit mode.

    Blender 4.2 forgets to copy values that undo shares if they are written by the UV map.
    """
    attribute: Any = mesh.attributes[layer.name]
    attribute.data.foreach_set("vector", uvs.ravel())


# --- Light -----------------------------------------------


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
    colors = np.full((vertices, 4), _NEUTRAL, np.uint8)
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
    values[unpainted] = painted.mean(axis=0) if len(painted) else bytes_to_linear(np.array([_NEUTRAL]))
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


def gray_shades(colors: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the grays (k,), 0 to 255, of colors (k, 3) for games without colored light."""
    return np.rint(colors.mean(axis=1)).astype(np.int64)


def warn_of_colors(subject: str, colors: NDArray[np.uint8], report: Report) -> None:
    """Warn of colors (n, 4) that become gray, if they differ by more than a step."""
    parts = colors[:, :3].astype(np.int16)
    count = int((np.ptp(parts, axis=1) > 1).sum()) if len(parts) else 0
    if count:
        text = T(
            "its light is colored at {count} vertices, but this game has no colored light: it is "
            "exported as gray",
            count=count,
        )
        report.warn(subject, text)
