"""Operators that open an entity's model, return to the level, and select entities of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object, Operator
from mathutils import Matrix

from ...formats import ExportError
from ...formats.base import T
from ..animation_tools.actors import key_actor
from ..base.active import active_layer, active_object, active_scene
from ..base.conditions import ConditionalTool, condition
from ..base.levels import level_of, meant_level
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, explain, report_line, set_poll_message
from ..base.selecting import select_only


def _armature(context: Context) -> Object | None:
    """Return the armature of the model that the active object is, or shows."""
    from ...scene.subjects.models import armature_of_model

    return armature_of_model(context.object)


def _posed(context: Context) -> Object | None:
    """Return the same, or the active object if it is an actor of a cutscene."""
    from ...scene.subjects.models import posed_armature

    return posed_armature(context.object)


_SHOWS_MODEL = condition(
    lambda context: context.mode == "OBJECT" and _armature(context) is not None,
    T("Make an entity or a model active, in Object Mode"),
)
_FAR = 5  # largest view distance, in sizes of the model, that is kept
_TO_POSE = 1.65  # margin around a model that is posed: it fills six tenths of the view


def _open_model(operator: Operator, context: Context, *, frames: bool) -> list[Object]:
    """Show only the model of the active entity, and select its meshes and its armature.

    With ``frames``, the model is framed even if the view is near. Return the selected objects, those of the
    figure if the game draws one in place of the model; [] after reporting an error.
    """
    from ...scene.subjects.models import open_model, to_library

    entity = active_object(context)
    level = level_of(entity)
    if level is None:
        report_line(operator, "ERROR", T("The entity belongs to no level"))
        return []
    _leave_local_view(context)
    try:
        result = open_model(level, active_layer(context), entity)
    except ExportError as error:
        report_line(operator, "ERROR", explain(error))
        return []
    active_layer(context).update()  # until then, Blender counts what was hidden as hidden
    result = [obj for obj in result if obj.visible_get()]
    _move_view(context, to_library(entity))
    _select(context, result)
    meshes = [obj for obj in result if obj.type == "MESH"]
    if meshes and _view(context) is not None:
        level.tomb_raider.level.view_distance = _zoom_in(context, meshes, frames=frames)
        bpy.ops.view3d.localview(frame_selected=False)
    return result


class TOMB_RAIDER_OT_edit_model(Operator):
    """Edit the model of this entity. All entities of this model show the changes"""

    bl_idname = "tomb_raider.edit_model"
    bl_label = "Edit Model"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.models import shows_model

        if context.mode != "OBJECT" or not shows_model(context.object):
            set_poll_message(cls, T("Make an entity active that shows a model, in Object Mode"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        if not _open_model(self, context, frames=False):
            return {"CANCELLED"}
        text = T("Tab edits its meshes, Animate poses it. Back to Level in the sidebar returns to the level")
        report_line(self, "INFO", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_animate_model(EditingTool):
    """Enter Pose Mode on this model, on the model of this entity, or on this actor"""

    bl_idname = "tomb_raider.animate_model"
    bl_label = "Animate"
    requires = condition(
        lambda context: context.mode == "OBJECT" and _posed(context) is not None,
        T("Make an entity, a model or an actor active, in Object Mode"),
    )

    def edited(self, context: Context) -> Iterable[Any]:
        """Return the armature: Blender cannot pose one of another file."""
        return [_posed(context)]

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import action_in_use, show_in_range
        from ...scene.subjects.models import is_actor, shows_model

        armature = _posed(context)
        if is_actor(armature):
            key_actor(context)
        if shows_model(context.object):
            opened = _open_model(self, context, frames=True)
            if not opened:
                return {"CANCELLED"}
            armature = next((obj for obj in opened if obj.type == "ARMATURE"), None)
        if armature is None or not armature.visible_get():
            raise ToolError(T("The model is hidden: show it, or use its entity"))
        select_only(context, [armature])
        bpy.ops.object.mode_set(mode="POSE")  # there is no data API for modes
        if is_actor(armature):
            report_line(self, "INFO", T("Ctrl+Tab returns to Object Mode"))
            return {"FINISHED"}
        action = action_in_use(armature)
        if action is not None:
            show_in_range(armature, action, active_scene(context), from_start=False)
        report_line(self, "INFO", T("Back to Level in the sidebar returns to the level"))
        return {"FINISHED"}


class TOMB_RAIDER_OT_leave_model(ConditionalTool, Operator):
    """Return from the model to the entity in the level"""

    bl_idname = "tomb_raider.leave_model"
    bl_label = "Back to Level"
    bl_options = {"REGISTER", "UNDO"}
    requires = condition(
        lambda context: (level := meant_level(context)) and level.tomb_raider.level.edited,
        T("Use Edit Model on an entity first"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.models import close_model, to_library

        level = meant_level(context)
        if level is None:
            return {"CANCELLED"}
        UserMode(context).leave()
        _leave_local_view(context)
        entity = close_model(level, active_layer(context))
        if entity is not None:
            _move_view(context, to_library(entity).inverted_safe())
            _zoom_out(context, level.tomb_raider.level.view_distance)
            context.view_layer.update()
            _select(context, [entity])
        return {"FINISHED"}


class TOMB_RAIDER_OT_select_same_model(ConditionalTool, Operator):
    """Select all entities of the level that show this model"""

    bl_idname = "tomb_raider.select_same_model"
    bl_label = "Select Entities of This Model"
    bl_options = {"REGISTER", "UNDO"}
    requires = _SHOWS_MODEL

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.models import entities_of

        armature, level = _armature(context), level_of(context.object)
        if armature is None or level is None:
            return {"CANCELLED"}
        entities = [
            entity for entity in entities_of(level, armature.tomb_raider.model.id) if entity.visible_get()
        ]
        if not entities:
            report_line(self, "WARNING", T("No visible entity shows this model"))
            return {"CANCELLED"}
        _select(context, entities)
        report_line(self, "INFO", T("Entities: {count}", count=len(entities)))
        return {"FINISHED"}


def _select(context: Context, objects: list[Object]) -> None:
    """Select only the given objects that are visible. The active object is kept if it is among them."""
    visible = [obj for obj in objects if obj.visible_get()]
    select_only(context, visible, active=active_layer(context).objects.active)


def _view(context: Context) -> Any | None:
    """Return the 3D view of the context, or None."""
    space = context.space_data
    return space if space is not None and space.type == "VIEW_3D" else None


def _leave_local_view(context: Context) -> None:
    view = _view(context)
    if view is not None and view.local_view is not None:
        bpy.ops.view3d.localview(frame_selected=False)  # there is no data API for local view


def _zoom_in(context: Context, objects: list[Object], *, frames: bool) -> float:
    """Move a view near objects, if it is distant or they are to be framed.

    Return the former distance of the view, or 0 if it was not moved.
    """
    from ...scene.subjects.meshes import world_corners
    from ..view.first_view import turn_to

    view, area = _view(context), context.area
    if view is None or area is None or view.region_3d.view_perspective == "CAMERA":
        return 0.0
    active_layer(context).update()
    corners = world_corners(objects).reshape(-1, 3)
    before = float(view.region_3d.view_distance)
    if not frames and before <= _FAR * float(np.linalg.norm(np.ptp(corners, axis=0))):
        return 0.0
    margin = {"margin": _TO_POSE} if frames else {}
    turn_to(area, view, corners, context.preferences.system, **margin)
    return before


def _zoom_out(context: Context, distance: float) -> None:
    """Restore the view distance from before :func:`_zoom_in`."""
    view = _view(context)
    if view is not None and distance > 0 and view.region_3d.view_perspective != "CAMERA":
        view.region_3d.view_distance = distance


def _move_view(context: Context, by: Matrix) -> None:
    """Transform the view's location and rotation."""
    view = _view(context)
    if view is None or view.region_3d is None or view.region_3d.view_perspective == "CAMERA":
        return
    region = view.region_3d
    region.view_location = by @ region.view_location
    region.view_rotation = by.to_quaternion() @ region.view_rotation


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_edit_model,
        TOMB_RAIDER_OT_animate_model,
        TOMB_RAIDER_OT_leave_model,
        TOMB_RAIDER_OT_select_same_model,
    )
)
