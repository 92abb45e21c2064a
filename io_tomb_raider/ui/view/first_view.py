"""Views of a new level: of Lara or framed, lit and textured, in the 3D views of all workspaces."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import radians
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Area, Collection, Context, Mesh, Object, SpaceView3D
from mathutils import Euler, Matrix, Vector

from ...formats.base import LARA
from ...scene.core import Kind, LevelObjects, members, members_of
from ..base.active import active_layer, active_scene
from ..base.levels import scene_levels
from ..base.selecting import select_only
from .deferred_ui import arrange_window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Sight = Callable[[NDArray[np.float64]], tuple[Matrix, float]]

_SENSOR = 36.0  # mm: sensor of Blender's view camera, which Blender doubles
_MARGIN = 1.1
_SIDEBAR = 260  # pixels at the default resolution, for sidebars that were not drawn yet
_SMALL = 0.05  # of a picture's height: smaller objects are hard to find
_SAME_PLACE = 1e-3  # Blender units: tolerance for rounding far from the origin
IMPORT_ONLY = frozenset({"behind", "helpers"})  # parts that are for levels of files: others are to be built
_HELPERS = ("LIGHTS", "CAMERAS", "SOUNDS")  # parts that cover what the game draws
_FROM_ABOVE = Euler((radians(50), 0.0, radians(45)))
_ACTORS_AWAY = 2048  # units from the camera of a cutscene to the point to orbit around


def present(context: Context, root: Collection, parts: Container[str], *, set_up_scene: bool = True) -> None:
    """Show an imported level according to the preferences, with ``set_up_scene`` beyond the selection.

    The parts are those of :data:`~..preferences.preferences.FIRST_VIEW`, and ``material_preview``.
    """
    from ...scene.pipeline import remove_factory_objects

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
    """Show a new level in all 3D views: Lara and what is around her, or all of it.

    Levels are far from the origin, and closed boxes from outside. For the first level of a scene, views also
    get textures and their sidebar; later levels leave these settings to the user.

    The parts are ``view``, ``behind``, ``helpers``, ``material_preview`` and ``sidebar``.
    """
    is_first = scene_levels(context) == [root]
    if "helpers" in parts:
        _hide_helpers(context, root)
    context.view_layer.update()  # needed for world matrices
    corners = _corners(root)
    views, system = list(_views()), context.preferences.system
    sight = _first_sight(root, views, system) if "behind" in parts else None
    for area, space in views:
        if is_first and "sidebar" in parts and opens_sidebars():
            space.show_region_ui = True
        if "view" not in parts:
            continue
        if is_first:
            _show_textures(space, with_light="material_preview" in parts)
            # Lines from every object to its room's origin would hide the level.
            space.overlay.show_relationship_lines = False
        if len(corners) and space.local_view is None:  # local view shows chosen objects only
            if sight is not None and space.region_3d.view_perspective == "PERSP":
                _look_from(space, corners, *sight(_reaches(area, space, system)))
            else:
                turn_to(area, space, corners, system)
    arrange_window(with_tabs=is_first and "sidebar" in parts)


def opens_sidebars() -> bool:
    """Return whether sidebars are opened: without windows, Blender 5 does not free those at its exit."""
    return not bpy.app.background


def make_active(context: Context, root: Collection) -> None:
    """Select Lara, or else the first room, and make the level's collection active."""
    layer = active_layer(context)
    layer.active_layer_collection = next(
        (child for child in layer.layer_collection.children if child.collection == root),
        layer.active_layer_collection,
    )
    layer.objects.active = chosen = _first_object(root, layer)
    select_only(context, [] if chosen is None else [chosen])


def put_cursor(context: Context) -> None:
    """Move the 3D cursor to the active object, so that new objects are added inside a room.

    The cursor is left where the user has placed it.
    """
    scene, obj, layer = active_scene(context), context.object, active_layer(context)
    if obj is None:
        return
    objects = (_first_object(root, layer) for root in scene_levels(context))
    positions = [Vector(), *(_location(first) for first in objects if first is not None)]
    if any((scene.cursor.location - position).length < _SAME_PLACE for position in positions):
        scene.cursor.location = _location(obj)


def _location(obj: Object) -> Vector:
    """Return an object's location; for a room, the middle of its floor, since the origin is outside."""
    matrix = obj.matrix_world
    if obj.tomb_raider.kind != Kind.ROOM or not isinstance(obj.data, Mesh) or not obj.data.polygons:
        return matrix.translation
    corners = np.array(obj.bound_box)
    middle = Vector(((corners.min(axis=0) + corners.max(axis=0)) / 2).tolist())
    hit, position, _, _ = obj.ray_cast(middle, Vector((0, 0, -1)))
    return matrix @ (position if hit else middle)


def _first_object(root: Collection, layer: bpy.types.ViewLayer) -> Object | None:
    visible = [obj for obj in members(root) if obj.visible_get(view_layer=layer)]
    entities = [obj for obj in visible if obj.tomb_raider.kind == Kind.ENTITY]
    laras = [obj for obj in entities if obj.tomb_raider.entity.type == LARA]
    rooms = [obj for obj in visible if obj.tomb_raider.kind == Kind.ROOM]
    models = [obj for obj in visible if obj.tomb_raider.kind == Kind.MODEL]
    return next(iter([*laras, *rooms, *models, *visible]), None)


def _views() -> Iterator[tuple[Area, SpaceView3D]]:
    """Yield the 3D views of all workspaces, each with its area."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            for space in area.spaces:
                if isinstance(space, SpaceView3D):
                    yield area, space


def _corners(root: Collection) -> NDArray[np.float64]:
    """Return the corners of the rooms' boxes, (n, 3) in world space; without rooms, of all objects."""
    from ...scene.subjects.meshes import rooms_with_vertices

    objects = members(root)
    return _corners_of(rooms_with_vertices(objects) or objects)


def _corners_of(objects: Iterable[Object]) -> NDArray[np.float64]:
    """Return the corners of the boxes of objects that have any shape, (n, 3) in world space."""
    from ...scene.subjects.meshes import world_corners

    shapes = [obj for obj in objects if obj.data and (not isinstance(obj.data, Mesh) or obj.data.vertices)]
    return world_corners(shapes).reshape(-1, 3)


def _hide_helpers(context: Context, root: Collection) -> None:
    """Hide what the game does not draw. The cameras of a cutscene level contain its actors."""
    from ...scene.core import show_part

    cameras = next((child for child in root.children if child.tomb_raider.kind == Kind.CAMERAS), None)
    is_cutscene = cameras is not None and bool(members_of(cameras, Kind.CINEMATIC))
    for part in _HELPERS:
        if part != "CAMERAS" or not is_cutscene:
            show_part(root, active_layer(context), part, show=False)


def _show_textures(space: SpaceView3D, *, with_light: bool) -> None:
    shading = space.shading
    if shading.color_type in ("MATERIAL", "TEXTURE"):  # Blender's defaults only: keep the user's choice
        shading.color_type = "TEXTURE"
        shading.show_backface_culling = True
        if with_light and shading.type == "SOLID":
            shading.type = "MATERIAL"


def _first_sight(root: Collection, views: Sequence[tuple[Area, SpaceView3D]], system: Any) -> _Sight | None:
    """Return a function from the reaches of a view to the eye and the distance to orbit at, or None.

    The eye looks at Lara, or is that of the level's cutscene, or looks at the first model if there are no
    rooms. Its direction is chosen for the largest view.
    """
    from ...scene.subjects.cameras import first_sight

    objects, scale = LevelObjects(root), root.tomb_raider.scale
    entities = (obj for obj in objects.of((Kind.ENTITY,)) if obj.tomb_raider.entity.type == LARA)
    cameras = objects.of((Kind.CINEMATIC,))
    figure = next(entities, None)
    if figure is None and not cameras and not objects.of((Kind.ROOM,)):
        figure = next((obj for obj in objects.of((Kind.MODEL,)) if obj.visible_get()), None)
    if figure is not None and views:
        largest = max(views, key=lambda view: view[0].width * view[0].height)
        return first_sight(objects, figure, _reaches(*largest, system), scale).matrix
    if not cameras:
        return None
    eye = cameras[0].matrix_world.copy(), _ACTORS_AWAY * scale
    return lambda _: eye


def _look_from(space: SpaceView3D, corners: NDArray[np.float64], eye: Matrix, distance: float) -> None:
    """Move a view to an eye in world space, to orbit around the point in front of it."""
    orbit_around(space.region_3d, eye, distance)
    far = float(np.linalg.norm(corners - np.array(eye.translation), axis=1).max())
    space.clip_end = max(space.clip_end, 2 * far)


def orbit_around(view: Any, eye: Matrix, distance: float) -> None:
    """Move a region of a 3D view to an eye in world space, with the point to orbit around at a distance."""
    view.view_rotation = eye.to_quaternion()
    view.view_location = eye @ Vector((0.0, 0.0, -distance))
    view.view_distance = distance


def look_from_above(context: Context, root: Collection) -> bool:
    """Frame a level from above in the 3D view of the context, else in all of the screen. Return success."""
    context.view_layer.update()
    corners, spaces = _corners(root), _seen_views(context)
    for area, space in spaces if len(corners) else ():
        space.region_3d.view_perspective = "PERSP"
        space.region_3d.view_rotation = _FROM_ABOVE.to_quaternion()
        turn_to(area, space, corners, context.preferences.system)
    return bool(spaces) and len(corners) > 0


def look_at(context: Context, objects: Iterable[Object]) -> None:
    """Frame objects in the 3D view of the context, else in all of the screen, without rotating it."""
    context.view_layer.update()
    corners = _corners_of(objects)
    for area, space in _seen_views(context) if len(corners) else ():
        if space.region_3d.view_perspective == "CAMERA":
            space.region_3d.view_perspective = "PERSP"
        turn_to(area, space, corners, context.preferences.system)


def look_at_selection(context: Context, *, or_cursor: bool = False) -> None:
    """Frame the selection, or the 3D cursor instead, in the part of 3D views that no sidebar covers."""
    for area in context.screen.areas if context.screen is not None else ():
        region = next((region for region in area.regions if region.type == "WINDOW"), None)
        if area.type != "VIEW_3D" or region is None:
            continue
        # Blender's operators know the size of any object, but not the sidebar.
        with context.temp_override(area=area, region=region):
            if or_cursor:
                bpy.ops.view3d.view_center_cursor()
            else:
                bpy.ops.view3d.view_selected()
        _leave_sidebar(area, area.spaces.active, context.preferences.system, keep_size=or_cursor)


def _leave_sidebar(area: Area, space: Any, system: Any, *, keep_size: bool) -> None:
    """Move the middle of a view to the middle of the part that its sidebar does not cover."""
    view = space.region_3d
    if view is None or view.view_perspective == "CAMERA":
        return
    left, right, down, up = _reaches(area, space, system)
    if not keep_size:
        view.view_distance *= min(2 * left, down + up) / min(left + right, down + up)
    view.view_location += view.view_rotation @ Vector(((left - right) / 2 * view.view_distance, 0.0, 0.0))


def look_at_unseen(
    context: Context, objects: Sequence[Object], neighbor: Object | None = None, *, whole: bool = False
) -> None:
    """Frame new objects in the 3D views of the screen that do not show them.

    Args:
        neighbor: an object to frame with them. Only views from inside it are rotated, to look from above:
            from outside at the same angle, its walls would cover the objects.
        whole: whether views have to show the objects whole, not only their middle.
    """
    if context.screen is None:
        return
    context.view_layer.update()
    # Boxes of armatures are empty: their meshes are children.
    corners = _corners_of(part for obj in objects for part in (obj, *obj.children) if part.type == "MESH")
    around = _corners_of([] if neighbor is None else [neighbor])
    system = context.preferences.system
    for area in context.screen.areas if len(corners) else ():
        space: Any = area.spaces.active
        if area.type != "VIEW_3D" or space.local_view is not None:
            continue
        view = space.region_3d
        if view is None or view.view_perspective == "CAMERA":
            continue
        if not _shows(view, _reaches(area, space, system), corners, whole=whole):
            if _holds(around, view):
                heading = view.view_rotation.to_euler().z
                view.view_rotation = Euler((_FROM_ABOVE.x, 0.0, heading)).to_quaternion()
            turn_to(area, space, np.concatenate([corners, around]), system)


def _holds(corners: NDArray[np.float64], view: Any) -> bool:
    """Return whether the eye of a view is in the box around some corners."""
    if not len(corners):
        return False
    eye = np.array(view.view_location + view.view_rotation @ Vector((0.0, 0.0, view.view_distance)))
    return bool((corners.min(axis=0) < eye).all() and (eye < corners.max(axis=0)).all())


def _shows(view: Any, reaches: NDArray[np.float64], corners: NDArray[np.float64], *, whole: bool) -> bool:
    """Return whether a view shows the middle of some corners, or all of them, and these not too small."""
    turn = np.array(view.view_rotation.to_matrix(), np.float64)
    low, high = corners.min(axis=0), corners.max(axis=0)
    points = (np.concatenate([[(low + high) / 2], corners]) - np.array(view.view_location)) @ turn
    is_flat = view.view_perspective == "ORTHO"
    depths = view.view_distance - (np.zeros(len(points)) if is_flat else points[:, 2])
    left, right, down, up = reaches
    x, y = points[:, 0], points[:, 1]
    inside = (depths > 0) & (-left * depths < x) & (x < right * depths)
    inside &= (-down * depths < y) & (y < up * depths)
    size = float(np.linalg.norm(high - low))
    return bool((inside.all() if whole else inside[0]) and size > _SMALL * (down + up) * depths[0])


def _seen_views(context: Context) -> list[tuple[Area, Any]]:
    """Return the 3D view of the context with its area, else all of the screen."""
    areas = [context.area] if context.area is not None else []
    areas = [area for area in areas if area.type == "VIEW_3D"] or list(context.screen.areas)
    return [(area, area.spaces.active) for area in areas if area.type == "VIEW_3D"]


def turn_to(
    area: Area, space: Any, corners: NDArray[np.float64], system: Any, *, margin: float = _MARGIN
) -> None:
    """Move a view so that it shows all corners, without rotating it.

    Args:
        corners: (n, 3) in world space.
        system: Blender's preferences of the system.
        margin: the distance of the eye, in distances from which the corners fill the view.
    """
    view = space.region_3d
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    radius = float(np.linalg.norm(np.ptp(corners, axis=0))) / 2
    if view is not None and view.view_perspective != "CAMERA":
        turn = np.array(view.view_rotation.to_matrix(), np.float64)
        points = (corners - middle) @ turn  # axes: right, up, towards the eye
        if view.view_perspective == "ORTHO":
            points[:, 2] = 0.0
        shift, distance = fit(points, _reaches(area, space, system))
        view.view_location = (middle + turn @ (*shift, 0.0)).tolist()
        view.view_distance = max(distance * margin, 1e-3)
        radius = max(radius, view.view_distance)
    space.clip_end = max(space.clip_end, 4 * radius)


def _reaches(area: Area, space: Any, system: Any) -> NDArray[np.float64]:
    """Return the reach of a view per unit of depth: left, right, down and up, shape (4,).

    Where regions overlap, the sidebar covers a part of the view.
    """
    window = next((region for region in area.regions if region.type == "WINDOW"), None)
    sizes = [(each.width, each.height) for each in (window, area) if each is not None]
    width, height = next((size for size in sizes if min(size) > 1), (16, 10))
    wide, high = np.array((width, height)) / max(width, height) * _SENSOR / space.lens
    covered = 0.0
    if system.use_region_overlap and space.show_region_ui:
        sidebar = next((region for region in area.regions if region.type == "UI"), None)
        is_drawn = sidebar is not None and sidebar.width > 1
        pixels = sidebar.width if is_drawn else _SIDEBAR * (system.ui_scale or 1.0)
        covered = min(2 * pixels / width, 1.0)
    return np.array((wide, wide * (1 - covered), high, high))


def fit(points: NDArray[np.float64], reaches: NDArray[np.float64]) -> tuple[tuple[float, float], float]:
    """Return the nearest position from which a view shows all points.

    It consists of shifts right and up, and the distance of the eye from the shifted origin.

    Args:
        points: (n, 3) right, up and towards the eye.
        reaches: (4,) see :func:`_reaches`.
    """
    shifts, distances = [], []
    for axis, (below, above) in enumerate(reaches.reshape(2, 2)):
        # The eye at depth d and shift s sees p if -below * (d - z) <= p - s <= above * (d - z).
        high = float((points[:, axis] / max(above, 1e-3) + points[:, 2]).max())
        low = float((-points[:, axis] / below + points[:, 2]).max())
        shift = (high - low) / (1 / max(above, 1e-3) + 1 / below)
        shifts.append(shift)
        distances.append(low + shift / below)
    # The larger distance is used; along the other axis, the points are centered.
    return (shifts[0], shifts[1]), max(distances)
