"""What users see first: the level in all 3D views of the file, textured, filling them and open to look into.

Blender keeps a view for every workspace, so all of them are turned: whoever goes on to *Modeling* or *UV
Editing* finds the level there, too.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Area, Collection, Context, Mesh, Object, SpaceView3D
from mathutils import Vector

from ...formats.games import LARA
from ...scene.core.members import members
from ...scene.core.subjects import Kind
from ..base.active import active_layer, active_scene
from ..base.levels import scene_levels
from ..base.selecting import select_alone
from .deferred_ui import arrange_window

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SENSOR = 36.0  # mm: of the camera that a view is to Blender, which it widens twofold
_MARGIN = 1.1
_SIDEBAR = 260  # pixels, where it was not shown yet, at the usual resolution
_SAME_PLACE = 1e-3  # Blender's units: what floats make of places far away


def present(context: Context, root: Collection, parts: Container[str], *, set_up_scene: bool = True) -> None:
    """Show a level that was just made as the preferences want it.

    Args:
        context: of the scene.
        root: the level's root collection.
        parts: what is wanted: ``selection``, ``start_up``, ``view``, ``sidebar``.
        set_up_scene: whether more may change than what is selected.
    """
    from ...scene.pipeline.start_up import remove_factory_objects

    if "selection" in parts:
        make_active(context, root)
    if not set_up_scene:
        return
    if "start_up" in parts:
        remove_factory_objects(active_scene(context))
    show_level(context, root, parts)
    if "selection" in parts:
        put_cursor(context)


def show_level(context: Context, root: Collection, parts: Container[str]) -> None:
    """Turn all 3D views to a level that was just imported.

    Levels lie far from the origin, where nobody would look for them, and are closed boxes from outside. With
    the first level of a scene views also get textures and their sidebar; later users have them as they like.

    Args:
        context: of the scene.
        root: the level's root collection.
        parts: what is wanted: ``view``, ``sidebar``.
    """
    is_first = scene_levels(context) == [root]
    context.view_layer.update()  # places are known only then
    corners = _corners(root)
    for area, space in _views():
        if is_first and "sidebar" in parts:
            space.show_region_ui = True
        if "view" not in parts:
            continue
        if is_first:
            _show_textures(space)
            # From everything in a room to that room's origin: nobody could see the level behind them.
            space.overlay.show_relationship_lines = False
        if len(corners) and space.local_view is None:  # which shows what it was opened for alone
            turn_to(area, space, corners, context.preferences.system)
    arrange_window(with_tabs=is_first and "sidebar" in parts)


def make_active(context: Context, root: Collection) -> None:
    """Select Lara, else the first room, as importers select what they made, and show the level's settings."""
    layer = active_layer(context)
    layer.active_layer_collection = next(
        (each for each in layer.layer_collection.children if each.collection == root),
        layer.active_layer_collection,
    )
    layer.objects.active = chosen = _first_object(root, layer)
    select_alone(context, [] if chosen is None else [chosen])


def put_cursor(context: Context) -> None:
    """Put the 3D cursor at what is active, so that something can be added in a room, not in the void.

    It stays where anybody has put it; not where the import of another level has.
    """
    scene, obj, layer = active_scene(context), context.object, active_layer(context)
    if obj is None:
        return
    known = (_first_object(root, layer) for root in scene_levels(context))
    places = [Vector(), *(_standing_place(each) for each in known if each is not None)]
    if any((scene.cursor.location - place).length < _SAME_PLACE for place in places):
        scene.cursor.location = _standing_place(obj)


def _standing_place(obj: Object) -> Vector:
    """Return where an object stands; of a room, whose origin is beside it, the middle of its floor."""
    matrix = obj.matrix_world
    if obj.tomb_raider.kind != Kind.ROOM or not isinstance(obj.data, Mesh) or not obj.data.polygons:
        return matrix.translation
    corners = np.array(obj.bound_box)
    middle = Vector(((corners.min(axis=0) + corners.max(axis=0)) / 2).tolist())
    hit, place, _, _ = obj.ray_cast(middle, Vector((0, 0, -1)))
    return matrix @ (place if hit else middle)


def _first_object(root: Collection, layer: bpy.types.ViewLayer) -> Object | None:
    seen = [obj for obj in members(root) if obj.visible_get(view_layer=layer)]
    entities = (each for each in seen if each.tomb_raider.kind == Kind.ENTITY)
    lara = next((each for each in entities if each.tomb_raider.entity.type == LARA), None)
    rooms = [each for each in seen if each.tomb_raider.kind == Kind.ROOM]
    models = [each for each in seen if each.tomb_raider.kind == Kind.MODEL]
    return next(iter([*([] if lara is None else [lara]), *rooms, *models, *seen]), None)


def _views() -> Iterator[tuple[Area, SpaceView3D]]:
    """Yield the 3D views of all workspaces, each with its area."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            for space in area.spaces:
                if isinstance(space, SpaceView3D):
                    yield area, space


def _corners(root: Collection) -> NDArray[np.float64]:
    """Return the corners of the boxes around the rooms, (n, 3) in the world; without rooms, around all."""
    from ...scene.subjects.meshes.placed import rooms_with_vertices, world_corners

    found = members(root)
    objects = [obj for obj in found if obj.data and (obj.type != "MESH" or obj.data.vertices)]
    return world_corners(rooms_with_vertices(found) or objects).reshape(-1, 3)


def _show_textures(space: SpaceView3D) -> None:
    shading = space.shading
    if shading.color_type in ("MATERIAL", "TEXTURE"):  # as Blender has it; users who chose another keep it
        shading.color_type = "TEXTURE"
        shading.show_backface_culling = True


def turn_to(area: Area, space: Any, corners: NDArray[np.float64], system: Any) -> None:
    """Let a view show all of some corners, (n, 3) in the world, from the side that it looks from."""
    view = space.region_3d
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    radius = float(np.linalg.norm(np.ptp(corners, axis=0))) / 2
    if view is not None and view.view_perspective != "CAMERA":
        turn = np.array(view.view_rotation.to_matrix(), np.float64)
        points = (corners - middle) @ turn  # to the right, up, towards the eye
        if view.view_perspective == "ORTHO":
            points[:, 2] = 0.0
        shift, distance = fit(points, _reaches(area, space, system))
        view.view_location = (middle + turn @ (*shift, 0.0)).tolist()
        view.view_distance = max(distance * _MARGIN, 1e-3)
        radius = max(radius, view.view_distance)
    space.clip_end = max(space.clip_end, 4 * radius)


def _reaches(area: Area, space: Any, system: Any) -> NDArray[np.float64]:
    """Return how far a view reaches per unit of depth: to the left, right, down and up.

    The sidebar covers a part of the view, where regions overlap.
    """
    window = next((region for region in area.regions if region.type == "WINDOW"), None)
    sizes = [(each.width, each.height) for each in (window, area) if each is not None]
    width, height = next((size for size in sizes if min(size) > 1), (16, 10))
    wide, high = np.array((width, height)) / max(width, height) * _SENSOR / space.lens
    covered = 0.0
    if system.use_region_overlap and space.show_region_ui:
        sidebar = next((region for region in area.regions if region.type == "UI"), None)
        pixels = (
            sidebar.width
            if sidebar is not None and sidebar.width > 1
            else _SIDEBAR * (system.ui_scale or 1.0)
        )
        covered = min(2 * pixels / width, 1.0)
    return np.array((wide, wide * (1 - covered), high, high))


def fit(points: NDArray[np.float64], reaches: NDArray[np.float64]) -> tuple[tuple[float, float], float]:
    """Find from where a view shows all of some points, and no nearer or farther than need be.

    Args:
        points: (n, 3) to the right, up and towards the eye.
        reaches: (4,) see :func:`_reaches`.

    Returns:
        By how much to go right and up, and the distance of the eye from there.
    """
    shifts, distances = [], []
    for axis, (below, above) in enumerate(reaches.reshape(2, 2)):
        # The eye at depth d and shift s sees p if -below * (d - z) <= p - s <= above * (d - z).
        high = float((points[:, axis] / max(above, 1e-3) + points[:, 2]).max())
        low = float((-points[:, axis] / below + points[:, 2]).max())
        shift = (high - low) / (1 / max(above, 1e-3) + 1 / below)
        shifts.append(shift)
        distances.append(low + shift / below)
    # The wider of both decides; along the other one, what is farther than need be is in the middle.
    return (shifts[0], shifts[1]), max(distances)
