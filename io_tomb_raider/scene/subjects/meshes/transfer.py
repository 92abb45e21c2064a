"""Transfer of meshes."""

from __future__ import annotations

from typing import Any

import bmesh
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats.base import T, gray_to_light, light_to_gray
from ....formats.edits.convert import mesh_light, vertex_flags
from ...core.blender.color import bytes_to_linear, linear_to_bytes
from ...core.subjects import OF_ROOMS, Kind
from ...core.transfer import Transfer
from .arrays import EFFECTS, LAYER, LIGHT, LIGHT2, NORMAL, PARKED, RAW_COLOR, TEXTURE, VERTEX, VERTEX_FLAGS
from .layers import shown_color

_LUMA = np.array((0.299, 0.587, 0.114))
_NEARLY = 2  # of 255: components that differ by less are gray


def remap_meshes(transfer: Transfer) -> None:
    """Remove references to the source file and unsupported attributes from meshes."""
    if not transfer.is_foreign:
        return
    for mesh in transfer.meshes(
        Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.FIGURE
    ):
        _remove_layers(mesh, (TEXTURE, VERTEX))
        if not transfer.target.traits.has_effects:
            _remove_layers(mesh, (EFFECTS,))
        _remap_light(transfer, mesh)
    _double_faces(transfer)
    gray: list[str] = []
    flowing: list[str] = []
    for obj in transfer.objects(*OF_ROOMS):
        if isinstance(obj.data, Mesh):
            was_colored, was_flowing = _remap_room(transfer, obj.data)
            gray += [obj.name] if was_colored else []
            flowing += [obj.name] if was_flowing else []
    transfer.lose(
        T("Rooms"),
        gray,
        T("this game has no colored light, so it becomes gray with the same brightness in these rooms"),
    )
    transfer.lose(
        T("Rooms"), flowing, T("vertices of this game cannot wave or glow, so these effects are removed from")
    )


def _remove_layers(mesh: Mesh, names: tuple[str, ...]) -> None:
    layers: Any = mesh.attributes
    for name in names:
        for stored in (name, f"{name}_face"):
            layer = layers.get(stored)
            if layer is not None:
                layers.remove(layer)
    if mesh.get(PARKED) is not None:
        del mesh[PARKED]


def _remap_light(transfer: Transfer, mesh: Mesh) -> None:
    """Remap the light of a mesh's vertices, stored and displayed, if the mesh has light."""
    light = light_of_mesh(mesh)
    colors = shown_color(mesh)
    same = transfer.source.traits.has_color_light == transfer.target.traits.has_color_light
    if light is None or same or not len(light):
        return

    def remapped(values: NDArray[Any]) -> NDArray[np.int32]:
        return mesh_light(values, transfer.source, transfer.target)

    layer: Any = mesh.attributes[LIGHT]
    new = remapped(light)
    if colors is not None and len(colors.data):
        linear = np.empty((len(colors.data), 4), np.float32)
        colors.data.foreach_get("color", linear.ravel())
        screen = linear_to_bytes(linear[:, :3])
        rows = np.arange(len(screen), dtype=np.int32)
        if colors.domain == "CORNER":
            mesh.loops.foreach_get("vertex_index", rows)
        # Colors that were not painted remain equal to the stored light.
        is_stored = (screen == light_to_gray(light)[rows, None]).all(axis=1)
        painted = light_to_gray(remapped(gray_to_light(screen)))
        changed = np.full((len(screen), 4), 255, np.uint8)
        changed[:, :3] = np.where(is_stored[:, None], light_to_gray(new)[rows, None], painted)
        linear[:, :3] = bytes_to_linear(changed)[:, :3]
        colors.data.foreach_set("color", linear.ravel())
    layer.data.foreach_set("value", new)
    mesh.update()


def light_of_mesh(mesh: Mesh) -> NDArray[np.int32] | None:
    """Return the stored light of a mesh's vertices, (n,), or None if it has normals."""
    layer: Any = mesh.attributes.get(LIGHT)
    if layer is None or (layer.domain, layer.data_type) != ("POINT", "INT"):
        return None
    light = np.zeros(len(mesh.vertices), np.int32)
    layer.data.foreach_get("value", light)
    return light


def _remap_room(transfer: Transfer, mesh: Mesh) -> tuple[bool, bool]:
    """Remap the mesh of a room; return whether it loses colors, and whether it loses waves."""
    source, target = transfer.source.traits, transfer.target.traits
    _remove_layers(mesh, (TEXTURE, VERTEX, LAYER, EFFECTS))
    if source.has_room_layers:
        _remove_layers(mesh, (NORMAL,))
    same_light = source.has_color_light == target.has_color_light
    if not same_light or source.has_room_layers or target.has_room_layers:
        _remove_layers(mesh, (LIGHT, LIGHT2, RAW_COLOR))
    was_flowing = _remap_flags(transfer, mesh)
    return not target.has_color_light and _turn_gray(mesh), was_flowing


def _remap_flags(transfer: Transfer, mesh: Mesh) -> bool:
    """Remap the vertex flags for waves and glow; return whether any are lost."""
    layer: Any = mesh.attributes.get(VERTEX_FLAGS)
    if layer is None or layer.domain != "POINT":
        return False
    values = np.zeros(len(mesh.vertices), np.int32)
    layer.data.foreach_get("value", values)
    remaining, is_lost = vertex_flags(values, transfer.source, transfer.target)
    if remaining.any():
        layer.data.foreach_set("value", remaining)
    else:
        _remove_layers(mesh, (VERTEX_FLAGS,))
    return is_lost


def _turn_gray(mesh: Mesh) -> bool:
    """Make the light of a mesh gray at the same brightness; return whether it was colored."""
    layer = shown_color(mesh)
    if layer is None or not len(layer.data):
        return False
    linear = np.empty((len(layer.data), 4), np.float32)
    layer.data.foreach_get("color", linear.ravel())
    screen = linear_to_bytes(linear[:, :3])
    if not (np.ptp(screen.astype(np.int16), axis=1) > 0).any():
        return False
    was_colored = bool((np.ptp(screen.astype(np.int16), axis=1) > _NEARLY).any())
    gray = np.full((len(screen), 4), 255, np.uint8)
    gray[:, :3] = np.rint(screen @ _LUMA).astype(np.uint8)[:, None]
    new = bytes_to_linear(gray)
    new[:, 3] = linear[:, 3]
    layer.data.foreach_set("color", np.ascontiguousarray(new, np.float32).ravel())
    mesh.update()
    return was_colored


def _double_faces(transfer: Transfer) -> None:
    """Add a reversed face for each double-sided face if the game does not support them."""
    if transfer.target.traits.has_double_sided_faces or not transfer.source.traits.has_double_sided_faces:
        return
    for mesh in transfer.meshes(*OF_ROOMS):
        slots = {
            slot
            for slot, each in enumerate(mesh.materials)
            if each is not None and each.tomb_raider.kind == "PAGE" and not each.use_backface_culling
        }
        if not slots or not any(face.material_index in slots for face in mesh.polygons):
            continue
        edited = bmesh.new()
        try:
            edited.from_mesh(mesh)
            faces: list[Any] = [face for face in edited.faces if face.material_index in slots]
            copies = bmesh.ops.duplicate(edited, geom=faces)["geom"]
            backs = [each for each in copies if isinstance(each, bmesh.types.BMFace)]
            bmesh.ops.reverse_faces(edited, faces=backs)
            edited.to_mesh(mesh)
        finally:
            edited.free()
