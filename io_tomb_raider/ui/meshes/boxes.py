"""Boxes and spheres of models and static meshes: an overlay in 3D views, and operators that fit them."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import cos, pi, sin
from typing import Any, NamedTuple

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Action, Context, Mesh, Object
from mathutils import Matrix, Vector

from ...formats import ExportError
from ...formats.base import T
from ...scene.core import Kind, Space, world_matrix
from ..base.active import active_scene
from ..base.conditions import condition
from ..base.layout.drawing import ViewDrawing, draw_batch, redraw_views
from ..base.levels import level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line

_COLLISION, _VISIBILITY = (1.0, 0.45, 0.1, 1.0), (0.2, 0.65, 1.0, 1.0)
_KEY, _SPHERE = (0.3, 0.95, 0.35, 1.0), (0.85, 0.4, 1.0, 0.8)
_EDGES = ((0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7))
_STEPS = 32  # of a circle


class ColoredLines(NamedTuple):
    """Lines to draw: a color, and the start and end of each line in world space."""

    color: tuple[float, ...]
    points: list[Vector]


# --- Overlay ----------------------------------------


def shapes_of(objects: Iterable[Object], frame: float) -> list[ColoredLines]:
    """Return the boxes and spheres of objects at a frame of the scene."""
    result: list[ColoredLines] = []
    for obj in dict.fromkeys(objects):
        try:
            result += _shapes(obj, world_matrix(obj), frame)
        except ExportError:  # transforms that are not numbers have no position
            continue
    return result


def _shapes(obj: Any, matrix: Matrix, frame: float) -> Iterator[ColoredLines]:
    settings = obj.tomb_raider
    placed_mesh = settings.placement.static_mesh if settings.kind == Kind.PLACEMENT else None
    library = obj if settings.kind == Kind.STATIC_MESH else placed_mesh
    if library is not None:
        boxes = library.tomb_raider.static_mesh
        yield from _box(boxes.visibility_box_measure, matrix, _VISIBILITY)
        yield from _box(boxes.collision_box_measure, matrix, _COLLISION)
    model = _model_of(obj)
    if model is not None and model.animation_data is not None:
        from ...scene.subjects.animations import action_in_use, box_at

        action: Any = action_in_use(model)
        if action is not None and box_at(action, frame) is not None:
            model_matrix = matrix if settings.kind == Kind.ENTITY else world_matrix(model)
            yield from _box(action.tomb_raider.key_box_measure, model_matrix, _KEY)
    if settings.kind in (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH) and isinstance(obj.data, Mesh):
        yield from _sphere(obj.data.tomb_raider, matrix)


def _model_of(obj: Any) -> Any:
    """Return the armature whose boxes an object shows: a model, a part of one, or an entity's."""
    kind = obj.tomb_raider.kind
    if kind == Kind.MODEL and obj.type == "ARMATURE":
        return obj
    if kind == Kind.MODEL_MESH:
        return obj.parent if obj.parent is not None and obj.parent.type == "ARMATURE" else None
    if kind == Kind.ENTITY and obj.instance_collection is not None:
        return obj.instance_collection.tomb_raider.model
    return None


def _box(measure: Iterable[float], matrix: Matrix, color: tuple[float, ...]) -> Iterator[ColoredLines]:
    x, x_end, y, y_end, z, z_end = measure
    corners = [matrix @ Vector((a, b, c)) for a in (x, x_end) for b in (y, y_end) for c in (z, z_end)]
    if any((x, x_end, y, y_end, z, z_end)):
        yield ColoredLines(color, [corners[end] for edge in _EDGES for end in edge])


def _sphere(settings: Any, matrix: Matrix) -> Iterator[ColoredLines]:
    radius, middle = settings.radius_measure, Vector(settings.center_measure)
    if radius <= 0:
        return
    angles = [2 * pi * step / _STEPS for step in range(_STEPS + 1)]
    points = []
    for axis in range(3):
        ring = []
        for angle in angles:
            flat = [cos(angle) * radius, sin(angle) * radius]
            flat.insert(axis, 0.0)
            ring.append(matrix @ (middle + Vector(flat)))
        points += [end for pair in pairwise(ring) for end in pair]
    yield ColoredLines(_SPHERE, points)


def _draw() -> None:
    """Draw the shapes in a 3D view. Nothing is stored between calls, since undo invalidates references."""
    context: Any = bpy.context
    if not context.window_manager.tomb_raider_boxes or not context.space_data.overlay.show_overlays:
        return
    active = context.active_object
    objects = [*context.selected_objects, *([active] if active is not None and active.visible_get() else [])]
    shapes = shapes_of(objects, context.scene.frame_current)
    for color, points in shapes:
        draw_batch("LINES", [tuple(point) for point in points], color, 2)


_drawing = ViewDrawing(_draw, "POST_VIEW")


# --- Operators ----------------------------------------


def _space(obj: Any) -> Space:
    level = level_of(obj)
    return Space.of(level) if level is not None else Space()


def _bounded(context: Context) -> list[Any]:
    """Return the selected and active meshes of models and static meshes."""
    chosen: list[Any] = [*context.selected_objects, context.object]
    meshes: dict[Any, None] = {}
    for obj in chosen:
        if obj is not None and obj.tomb_raider.kind == Kind.PLACEMENT:
            obj = obj.tomb_raider.placement.static_mesh
        if obj is not None and obj.tomb_raider.kind in (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH):
            meshes[obj] = None
        elif obj is not None and obj.tomb_raider.kind == Kind.MODEL:
            meshes |= dict.fromkeys(
                child for child in obj.children if child.tomb_raider.kind == Kind.MODEL_MESH
            )
    return [obj for obj in meshes if isinstance(obj.data, Mesh)]


class TOMB_RAIDER_OT_fit_boxes(EditingTool):
    """Fit the boxes of static meshes and the collision spheres of all meshes to their shape"""

    bl_idname = "tomb_raider.fit_boxes"
    bl_label = "Fit Boxes and Spheres"

    visibility: BoolProperty(
        name="Visibility Box", default=True, description="Fit the visibility boxes of static meshes"
    )
    collision: BoolProperty(
        name="Collision Box", default=True, description="Fit the collision boxes of static meshes"
    )
    sphere: BoolProperty(name="Sphere", default=True, description="Fit the collision spheres of meshes")
    follow: BoolProperty(
        name="Boxes Follow Meshes",
        default=True,
        description="Also fit the boxes of all key frames of the models on export",
    )

    requires = condition(
        lambda context: context.mode == "OBJECT" and _bounded(context),
        T("Select models, their meshes, or static meshes in Object Mode"),
    )

    def edited(self, context: Context) -> Iterable[Any]:
        objects = _bounded(context)
        return [block for obj in objects for block in (obj, obj.data, obj.parent) if block is not None]

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.subjects.models import recalculate_sphere
        from ...scene.subjects.static_meshes import box_of

        names = [name for name in ("visibility", "collision") if getattr(self, name)]
        boxes = spheres = 0
        models = set()
        for obj in _bounded(context):
            space = _space(obj)
            if self.sphere:
                before = (*obj.data.tomb_raider.center, obj.data.tomb_raider.radius)
                recalculate_sphere(obj.data, space)
                spheres += before != (*obj.data.tomb_raider.center, obj.data.tomb_raider.radius)
            if obj.tomb_raider.kind == Kind.STATIC_MESH:
                box = box_of(obj.data, space, obj.name, Report()).tolist()
                for name in names:
                    boxes += list(getattr(obj.tomb_raider.static_mesh, f"{name}_box")) != box
                    setattr(obj.tomb_raider.static_mesh, f"{name}_box", box)
            elif self.follow and obj.parent is not None and obj.parent.tomb_raider.kind == Kind.MODEL:
                obj.parent.tomb_raider.model.fit_boxes = True
                models.add(obj.parent)
        text = T("{boxes} boxes and {spheres} spheres changed", boxes=boxes, spheres=spheres)
        if models:
            text += T("; exports fit the boxes of the key frames of {count} models", count=len(models))
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _animated(context: Context) -> tuple[Any, Action] | None:
    """Return the active model and the action that it plays."""
    from ...scene.subjects.animations import action_in_use

    model = None if context.object is None else _model_of(context.object)
    if model is None or context.object.tomb_raider.kind == Kind.ENTITY:
        return None
    action = action_in_use(model)
    return None if action is None else (model, action)


class _KeyBoxTool(EditingTool):
    """Base of operators on the boxes of key frames of the action that the active model plays."""

    requires = condition(
        lambda context: _animated(context) is not None, T("Select a model that plays an action")
    )

    def edited(self, context: Context) -> Iterable[Any]:
        animated = _animated(context)
        return [] if animated is None else [animated[1]]


class TOMB_RAIDER_OT_fit_key_boxes(_KeyBoxTool):
    """Fit the boxes of key frames to the meshes as shown"""

    bl_idname = "tomb_raider.fit_key_boxes"
    bl_label = "Fit Box"

    frames: EnumProperty(
        name="Key Frames",
        items=[
            ("CURRENT", "This One", "The key frame at or before the current frame"),
            ("ALL", "All", "All key frames of the animation"),
        ],
        description="Key frames whose boxes are fitted",
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import fit_boxes, key_frame_at, key_frames

        animated = _animated(context)
        assert animated is not None
        model, action = animated
        scene = active_scene(context)
        frames = key_frames(action)
        if self.frames == "CURRENT":
            frames = [key_frame_at(action, scene.frame_current)]
        changed = fit_boxes(scene, model, action, frames, _space(model))
        text = T(
            "{action}: {changed} of {count} boxes changed",
            action=action.name,
            changed=changed,
            count=len(frames),
        )
        report_line(self, "INFO", text)
        return {"FINISHED"} if changed else {"CANCELLED"}


class TOMB_RAIDER_OT_reset_key_boxes(_KeyBoxTool):
    """Remove the edits of the boxes of this animation"""

    bl_idname = "tomb_raider.reset_key_boxes"
    bl_label = "Reset Boxes"

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import edit_boxes, edited_boxes

        animated = _animated(context)
        assert animated is not None
        if not edited_boxes(animated[1]):
            report_line(self, "INFO", T("{action}: none of its boxes was edited", action=animated[1].name))
            return {"CANCELLED"}
        edit_boxes(animated[1], {})
        redraw_views(self, context)
        return {"FINISHED"}


_register, _unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_fit_boxes, TOMB_RAIDER_OT_fit_key_boxes, TOMB_RAIDER_OT_reset_key_boxes)
)


def register() -> None:
    _register()
    bpy.types.WindowManager.tomb_raider_boxes = BoolProperty(
        name="Boxes",
        description="Draw the boxes and collision spheres of selected models and static meshes",
        update=redraw_views,
    )
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    del bpy.types.WindowManager.tomb_raider_boxes
    _unregister()
