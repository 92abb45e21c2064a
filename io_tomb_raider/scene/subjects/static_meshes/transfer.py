"""Transfer of static meshes and their placements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats.base import FULL_RGB555, Game, T
from ....formats.edits.convert import mesh_light, placed_light, static_mesh_flags
from ...core.membership import members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...core.targets import limits_of_level
from ...core.transfer import Transfer
from ...mesh.blender_mesh import vertices_of
from ..meshes.transfer import light_of_mesh
from .solid import is_solid, set_solid

STATIC_CLASSES = 50  # ids of static meshes that mean the same in all games
_NEAR = 0.5  # game units: rounds to the same vertex


def equal_static_mesh(root: Collection, obj: Object, among: Iterable[Object] | None = None) -> Object | None:
    """Return the static mesh of a level with the id and shape of a foreign static mesh, or None.

    ``among`` are the static meshes of the level; None to look them up.
    """
    number, mesh = obj.tomb_raider.static_mesh.id, obj.data
    points = vertices_of(mesh) if isinstance(mesh, Mesh) else None
    return None if points is None else static_mesh_like(root, number, points, among)


def static_mesh_like(
    root: Collection, number: int, points: NDArray[Any], among: Iterable[Object] | None = None
) -> Object | None:
    """Return the static mesh of a level with an id and vertices, (n, 3) in Blender units, or None.

    ``among`` are the static meshes of the level; None to look them up.
    """
    tolerance = _NEAR * root.tomb_raider.scale
    for obj in members_of(root, Kind.STATIC_MESH) if among is None else among:
        if obj.tomb_raider.static_mesh.id != number or not isinstance(obj.data, Mesh):
            continue
        vertices = vertices_of(obj.data)
        if vertices.shape == points.shape and np.abs(vertices - points).max(initial=0.0) < tolerance:
            return obj
    return None


def remap_static_meshes(transfer: Transfer) -> None:
    """Remap flags and collision of static meshes, and of a whole level ids above the limit of the engine."""
    objects = transfer.objects(Kind.STATIC_MESH) if transfer.is_foreign else []
    for obj in objects:
        settings, solid = obj.tomb_raider.static_mesh, is_solid(obj, transfer.source)
        settings.flags = static_mesh_flags(int(settings.flags), transfer.target)
        set_solid(obj, transfer.target, solid, Space.of(transfer.root))
    if transfer.moved is None:
        _limit_ids(transfer)


def _limit_ids(transfer: Transfer) -> None:
    """Replace the ids of static meshes above the limit of the engine by free ones."""
    objects = transfer.objects(Kind.STATIC_MESH)
    used = {int(obj.tomb_raider.static_mesh.id) for obj in objects}
    limit = limits_of_level(transfer.root, transfer.target).static_meshes
    for obj in objects:
        settings = obj.tomb_raider.static_mesh
        number = int(settings.id)
        if limit is None or number < limit or number < STATIC_CLASSES:
            continue
        free = next((each for each in range(STATIC_CLASSES) if each not in used), None)
        if free is None:
            text = T(
                "its id is {number}, and the original game supports only {limit}", number=number, limit=limit
            )
            transfer.report.warn(obj.name, text)
            continue
        used.add(free)
        settings.id = free
        text = T("it was static mesh {number}, and becomes {free} in this game", number=number, free=free)
        transfer.report.warn(obj.name, text)


def remap_placements(transfer: Transfer) -> None:
    """Remap the light of placed static meshes. Call it after the static meshes are remapped."""
    for obj in transfer.objects(Kind.PLACEMENT) if transfer.is_foreign else ():
        settings = obj.tomb_raider.placement
        red, green, blue = (round(channel * FULL_RGB555) for channel in settings.color)
        intensity, second, parts = placed_light(
            settings.intensity,
            settings.intensity2,
            (red, green, blue),
            transfer.source,
            transfer.target,
            _mean_light(obj, transfer),
        )
        settings.intensity, settings.intensity2 = intensity, second
        settings.color = [channel / FULL_RGB555 for channel in parts]
    if transfer.moved is None:
        _match_ids(transfer)


def _mean_light(obj: Object, transfer: Transfer) -> float | None:
    """Return the mean light of a placed mesh as TR1 and TR2 store it, or None if it has normals."""
    library = obj.tomb_raider.placement.static_mesh
    mesh = obj.data if library is None else library.data
    light = light_of_mesh(mesh) if isinstance(mesh, Mesh) else None
    if light is None or not len(light):
        return None
    if transfer.target.traits.has_color_light:
        light = mesh_light(light, transfer.target, Game.TR1)
    return float(light.mean())


def _match_ids(transfer: Transfer) -> None:
    """Set the ids of placements to those of their static meshes; discard placements without a static mesh."""
    ids = {obj.tomb_raider.static_mesh.id for obj in transfer.objects(Kind.STATIC_MESH)}
    lost = []
    for obj in transfer.objects(Kind.PLACEMENT):
        settings = obj.tomb_raider.placement
        if settings.static_mesh is not None:
            settings.id = settings.static_mesh.tomb_raider.static_mesh.id
        elif settings.id not in ids:
            lost.append(obj)
    text = T("the level has no such static mesh")
    transfer.lose(T("Placed Static Meshes"), [obj.name for obj in lost], text)
    transfer.discard(lost)
