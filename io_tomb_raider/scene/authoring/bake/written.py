"""Packed light of vertices, as exports read it: the rendered color, and the file's numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import FULL_RGB555, Floats
from ....formats.levels.lights import NORMAL, pack_gray, pack_tint, packed_light, shown_light
from ...core.blender.color import bytes_to_linear
from ...mesh.blender_mesh import read_shape
from ...subjects.meshes.arrays import COLOR, LIGHT, LIGHT2
from ...subjects.meshes.layers import shown_color
from ...subjects.meshes.read import read_mesh
from .shapes import BakeShape


def _read_packed(game: Game, mesh: Mesh) -> NDArray[np.int32]:
    """Return the light of a room's vertices, (v, k), see ``formats.lights.baking.pack_light``."""
    arrays = read_mesh(mesh)
    colors = arrays.colors[: len(mesh.vertices), :3]
    packed = packed_light(game, colors)
    stored = arrays.point.get(LIGHT)
    if stored is None or game.traits.has_color_light:
        return packed
    exact = stored[: len(colors), None]
    return np.where(shown_light(game, exact) == shown_light(game, packed), exact, packed)[:, :1]


def _write_packed(game: Game, mesh: Mesh, packed: NDArray[np.int32]) -> None:
    """Set the light of a room's vertices, (v, k), without other changes to the mesh."""
    layers = mesh.attributes
    hints = () if game.traits.has_color_light else (LIGHT, LIGHT2)[: 1 + game.traits.has_second_light]
    for name in hints:
        if name not in layers:
            layers.new(name, "INT", "POINT")
    if shown_color(mesh) is None:
        attribute = mesh.color_attributes.new(COLOR, "FLOAT_COLOR", "POINT")
        mesh.attributes.default_color_name = mesh.attributes.active_color_name = attribute.name
    # A new attribute invalidates references to earlier ones.
    layer = shown_color(mesh)
    assert layer is not None
    color = bytes_to_linear(shown_light(game, packed))
    if layer.domain == "CORNER":
        color = color[read_shape(mesh).corners]
    values = np.ones((len(color), 4), np.float32)
    if len(values):
        layer.data.foreach_get("color", values.ravel())
        values[:, :3] = color
        values[values[:, 3] == 0, 3] = 1  # colors without alpha count as unpainted
        layer.data.foreach_set("color", values.ravel())
    for name in hints:
        if layers[name].domain == "POINT" and layers[name].data_type == "INT":
            layers[name].data.foreach_set("value", np.ascontiguousarray(packed[:, 0]))
    mesh.update()


def read_room(game: Game, shape: BakeShape) -> NDArray[np.int32]:
    """Return the light of a room's places, (p, k), from the last vertex of each."""
    meshes: Iterable[Any] = (obj.data for obj in shape.objects)
    of_vertices = np.concatenate([_read_packed(game, mesh) for mesh in meshes])
    result = np.zeros((len(shape.places), of_vertices.shape[1]), np.int32)
    result[shape.of_vertex] = of_vertices
    return result


def write_room(game: Game, shape: BakeShape, packed: NDArray[np.int32]) -> int:
    """Write the light of a room's places to its vertices. Return the number of vertices."""
    of_vertices = packed[shape.of_vertex]
    start = 0
    for obj, count in zip(shape.objects, shape.counts, strict=True):
        mesh: Any = obj.data
        if mesh.users > 1:
            obj.data = mesh = mesh.copy()
        _write_packed(game, mesh, of_vertices[start : start + count])
        start += count
    return start


def write_placement(game: Game, obj: Object, brightness: Floats) -> None:
    """Set the light of a placed static mesh to a brightness, (3,)."""
    settings = obj.tomb_raider.placement
    if game.traits.has_color_light:
        settings.color = [part / FULL_RGB555 for part in pack_tint(brightness[None])[0].tolist()]
        return
    settings.intensity = int(pack_gray(brightness[None])[0])
    if game.traits.has_second_light:
        settings.intensity2 = settings.intensity


def write_ambient(game: Game, room: Object, brightness: Floats) -> None:
    """Set a room's ambient light to a brightness, (3,)."""
    settings = room.tomb_raider.room
    if game.traits.has_room_color:
        parts = np.clip(np.floor(NORMAL * brightness + 0.5), 0, 255) / 255
        settings.color = (*parts.tolist(), settings.color[3])
        return
    settings.ambient = int(pack_gray(brightness[None])[0])
    if game.traits.has_second_light:
        settings.ambient2 = settings.ambient
