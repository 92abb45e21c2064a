"""Cloud layers of TR4 and TR5: the sky page on sheets above the camera, behind the horizon.

The script decides which layers a level has, and the game draws them only if there is a horizon model.
They are not exported. The game draws them before all else; here their flat sheets are projected onto a
sphere beyond all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Image, Material, Mesh, NodeSocket, Object

from ....formats import Game
from ....formats.levels.game_files import Sky, SkyLayer
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through, shown_with
from ...core.subjects import Kind
from ...mesh.blender_mesh import write_mesh
from ...mesh.poly_mesh import PolyMesh
from ..textures.materials import prefixed
from ..textures.shader import ADDITIVE, OPAQUE, build_surface, surface_group

GROUP_NAME = "Tomb Raider Sky Layer"
_RADIUS, _SPEED, _WIDTH = "Radius", "Speed", "Width"
_HEIGHT, _DEPTH = 1536, 9728  # units above the camera; units from the front to the back
_CELLS = 16  # along each side of a tile: as many as the sphere needs
# Radius relative to the horizon's: both layers are beyond it, the first beyond the second.
_FARNESS = (1.1, 1.05)
SIZE = "Size"  # input of the horizon's nodes: its scale
_WIDTHS = {Game.TR4: 11264, Game.TR5: 9728}  # units from the left to the right of a tile
_DULL = (0.5, 0.5, 0.5)  # for viewports without textures


def settings_of(root: Collection) -> tuple[Any, Any]:
    """Return the settings of a level's layers, the first one first."""
    level = root.tomb_raider.level
    return (level.sky_layer1, level.sky_layer2)


def note_sky(root: Collection, sky: Sky) -> None:
    """Set the sky of a level to that of its script."""
    root.tomb_raider.level.shows_horizon = sky.has_horizon
    for settings, layer in zip(settings_of(root), sky.layers, strict=True):
        if layer is not None:
            settings.color = [part / 255 for part in layer.color]
            settings.speed = layer.speed
            settings.shown = True


def shown_sky(root: Collection) -> Sky:
    """Return the sky of a level for its script."""
    first, second = map(_layer_of, settings_of(root))
    return Sky(bool(root.tomb_raider.level.shows_horizon), (first, second))


def _layer_of(settings: Any) -> SkyLayer | None:
    red, green, blue = (round(channel * 255) for channel in settings.color)
    return SkyLayer((red, green, blue), settings.speed) if settings.shown else None


def show_layers(root: Collection) -> None:
    """Update the layers of a level to its settings, if it has a horizon and a sky page."""
    collection = next((each for each in root.children if each.tomb_raider.kind == Kind.SKY), None)
    objects = () if collection is None else collection.objects
    horizon = next((each for each in objects if layer_number(each) < 0), None)
    page = _sky_page(root)
    if collection is None or horizon is None or page is None:
        return
    is_turned = bool(root.tomb_raider.level.sky_layer1.shown)
    for number, settings in enumerate(settings_of(root)):
        layer = next((each for each in objects if layer_number(each) == number), None)
        if not settings.shown:
            if layer is not None:
                _remove(layer)
            continue
        if layer is None:
            layer = _make(root, collection, page, number)
        layer.tomb_raider.lit.ambient = (*settings.color, 1.0)
        layer.rotation_euler = (0.0, 0.0, pi if is_turned else 0.0)
        layer.modifiers.clear()
        scale, width = root.tomb_raider.scale, _WIDTHS[Game[root.tomb_raider.game]]
        inputs = {
            _RADIUS: _FARNESS[number] * _reach(horizon),
            _SPEED: settings.speed * scale,
            _WIDTH: width * scale,
        }
        tree = geometry_nodes(GROUP_NAME, dict.fromkeys(inputs, "Float"), _slide)
        show_through(layer, "Sky", tree, **inputs)


def layer_number(obj: Object) -> int:
    """Return the layer of an object of the sky, -1 for the horizon."""
    settings = obj.tomb_raider
    return int(settings.index) - 1 if settings.kind == Kind.SKY else -1


def _remove(layer: Object) -> None:
    materials, mesh = [slot.material for slot in layer.material_slots], layer.data
    bpy.data.objects.remove(layer)
    if isinstance(mesh, Mesh) and not mesh.users:
        bpy.data.meshes.remove(mesh)
    for material in materials:
        if material is not None and not material.users:
            bpy.data.materials.remove(material)


def _sky_page(root: Collection) -> Image | None:
    """Return the last of the pages without object textures, which has the sky, or None."""
    if Game[root.tomb_raider.game] not in _WIDTHS:
        return None
    pages = {each.page: each.image for each in root.tomb_raider.images if each.kind == "MISC"}
    result: Image | None = pages[max(pages)] if pages else None
    return result


def _make(root: Collection, collection: Collection, page: Image, number: int) -> Object:
    """Make the object of a layer."""
    width = _WIDTHS[Game[root.tomb_raider.game]]
    layer = bpy.data.objects.new(f"Sky Layer {number + 1}", _sheet(width, root.tomb_raider.scale))
    layer.tomb_raider.kind = Kind.SKY
    layer.tomb_raider.index = number + 1
    layer.hide_select = True
    layer.material_slots[0].link = "OBJECT"
    layer.material_slots[0].material = _material(root, page, number)
    collection.objects.link(layer)
    return layer


def _material(root: Collection, page: Image, number: int) -> Material:
    """Return the material of a layer: the first is opaque, the second additive."""
    material = bpy.data.materials.new(prefixed(root.name, f"Sky Layer {number + 1}"))
    group = surface_group(Game[root.tomb_raider.game])
    build_surface(material, group, ADDITIVE if number else OPAQUE, page, _DULL)
    return material


def _sheet(width: int, scale: float) -> Mesh:
    """Return the flat sheet above the camera: two tiles of the page next to each other."""
    mesh = bpy.data.meshes.new("Sky Layer")
    columns, rows = 2 * _CELLS, _CELLS
    x, y = np.meshgrid(np.arange(columns + 1), np.arange(rows + 1), indexing="xy")
    positions = np.zeros(((columns + 1) * (rows + 1), 3), np.float32)
    # At frame 0 the tile on the right is centered above the camera.
    positions[:, 0] = (x.ravel() / _CELLS - 1.5) * width * scale
    positions[:, 1] = (y.ravel() / rows - 0.5) * _DEPTH * scale
    positions[:, 2] = _HEIGHT * scale
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    # The winding is that seen from below.
    corners = np.stack([first, first + columns + 1, first + columns + 2, first + 1], axis=1)
    column = np.arange(columns) % _CELLS
    left = np.tile(column, rows) / _CELLS
    low = np.repeat(np.arange(rows), columns) / rows
    right, high = left + 1 / _CELLS, low + 1 / rows
    uvs = np.stack([left, low, left, high, right, high, right, low], axis=1)
    quads = corners.ravel(), np.full(len(corners), 4)
    write_mesh(mesh, PolyMesh(positions, *quads, corner={"UVMap": uvs.reshape(-1, 2)}))
    mesh.materials.append(None)
    return mesh


def _reach(horizon: Object) -> float:
    """Return the radius of the horizon in Blender units."""
    corners = np.array(horizon.bound_box)
    return float(shown_with(horizon, "Sky", SIZE) or 1.0) * float(np.linalg.norm(corners, axis=1).max())


def _slide(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that slide a sheet over time, project it onto a sphere, and move it to the camera."""
    geometry, radius, speed, width = inputs
    frame = build.node("GeometryNodeInputSceneTime").outputs["Frame"]
    distance = build.math("FLOORED_MODULO", build.math("MULTIPLY", frame, speed), width)
    offset = build.node("ShaderNodeCombineXYZ")
    build.link(distance, offset.inputs[0])
    slid = build.vector("ADD", build.node("GeometryNodeInputPosition").outputs[0], offset.outputs[0])
    sphere = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(build.vector("NORMALIZE", slid), sphere.inputs[0])
    build.link(radius, sphere.inputs["Scale"])
    camera = build.node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    build.link(build.node("GeometryNodeInputActiveCamera").outputs[0], camera.inputs[0])
    moved = build.node("GeometryNodeSetPosition")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(build.vector("ADD", sphere.outputs[0], camera.outputs["Location"]), moved.inputs["Position"])
    result: NodeSocket = moved.outputs[0]
    return result
