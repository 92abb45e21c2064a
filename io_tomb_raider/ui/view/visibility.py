"""Visibility of parts of a level, of back faces, and of single rooms."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Collection, Context, Object, Operator, UILayout, ViewLayer
from mathutils import Matrix

from ...formats.base import N_, T, as_message
from ...scene.core import Kind, members
from ..base.active import active_layer
from ..base.conditions import ConditionalTool, condition
from ..base.levels import level_of
from ..base.operators import LevelTool
from ..base.reports import Outcome, ToolError, report_line
from ..base.selecting import in_layer
from ..base.text.i18n import translate

_Part = tuple[str, str, str, str, int]
# Parts of levels: identifier, label, description, icon, number.
PARTS: list[_Part] = [
    ("ROOMS", "Rooms", "The visible meshes of all rooms", "MESH_CUBE", 6),
    ("PLACEMENTS", "Placed Statics", "Static meshes placed in rooms", "MONKEY", 7),
    ("ROOM_SPRITES", "Room Sprites", "Sprites placed in rooms", "IMAGE_PLANE", 8),
    ("LIGHTS", "Lights", "Lights of all rooms", "LIGHT", 9),
    ("LIGHT_RANGES", "Light Ranges", "Ranges of shadow lights and fog bulbs", "LIGHT_POINT", 15),
    ("ENTITIES", "Entities", "Entities and AI objects", "ARMATURE_DATA", 10),
    ("TRIGGERS", "Triggers", "Actions that happen where Lara steps", "CUBE", 11),
    ("CAMERAS", "Cameras", "Cameras, sinks and flybys", "CAMERA_DATA", 12),
    ("SOUNDS", "Sounds", "Places that play sounds", "SPEAKER", 13),
    ("SKY", "Sky", "The horizon, around the camera of the scene", "WORLD", 14),
    ("COLLISION", "Collision", "Floors, ceilings and walls of all rooms", "MESH_GRID", 3),
    ("PORTALS", "Portals", "Openings through which adjoining rooms are visible", "MOD_EDGESPLIT", 4),
    ("PATHFINDING", "Pathfinding", "Boxes for the pathfinding of enemies", "MOD_BUILD", 5),
    ("MODELS", "Library: Models", "The armatures and meshes of all models", "OUTLINER_OB_ARMATURE", 0),
    (
        "STATIC_MESHES",
        "Library: Statics",
        "Originals of the static meshes placed in rooms",
        "OUTLINER_OB_MESH",
        1,
    ),
    ("SPRITES", "Library: Sprites", "The pictures of all sprite sequences", "OUTLINER_OB_IMAGE", 2),
]
# Labels that fit into half of a sidebar. Those of the library stand below a heading.
_SHORT = {
    "PLACEMENTS": N_("Statics"),
    "ROOM_SPRITES": N_("Sprites"),
    "LIGHT_RANGES": N_("Ranges"),
    "PATHFINDING": N_("Boxes"),
    "MODELS": N_("Models"),
    "STATIC_MESHES": N_("Statics"),
    "SPRITES": N_("Sprites"),
}
_LIBRARY = ("MODELS", "STATIC_MESHES", "SPRITES")  # they are next to the level, out of most views


class TOMB_RAIDER_OT_toggle_library(LevelTool):
    """Show or hide a part of the level. Does not affect exports"""

    bl_idname = "tomb_raider.toggle_library"
    bl_label = "Show or Hide"

    edits_level = False

    kind: EnumProperty(name="Part", items=PARTS, description="Part to show or hide", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        text = next((text for kind, _, text, _, _ in PARTS if kind == properties.kind), "")
        return translate(T("{text}. Show or hide them. Does not affect exports", text=as_message(text)))

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import is_shown

        level = self.level(context)
        if not show(context, level, self.kind, not is_shown(level, active_layer(context), self.kind)):
            raise ToolError(T("{level} has none of these in this view layer", level=level.name))
        if self.kind in _LIBRARY and is_shown(level, active_layer(context), self.kind):
            from .first_view import look_at

            homes = [home for home in level.children if home.tomb_raider.kind == self.kind]
            look_at(context, [obj for home in homes for obj in members(home)])
        return {"FINISHED"}


def show(context: Context, level: Collection, kind: str, shown: bool) -> bool:
    """Show or hide a part of a level, of isolated rooms only theirs. Return whether the view layer has it."""
    from ...scene.core import show_part

    layer, isolated = active_layer(context), _isolated(context)
    has_part = show_part(level, layer, kind, shown)
    if isolated:
        layer.update()
    for view, local in isolated:
        _isolate_again(level, layer, view, local)
    return has_part


def _isolated(context: Context) -> list[tuple[Any, set[Object]]]:
    """Return the 3D views in local view, each with the objects that it shows."""
    views = [view for view in _views_of(context) if view.local_view is not None]
    objects: Iterable[Any] = active_layer(context).objects if views else ()
    # In Blender 4.2, local_view_get is false for all objects.
    return [(view, {obj for obj in objects if obj.visible_get(viewport=view)}) for view in views]


def _isolate_again(level: Collection, layer: ViewLayer, view: Any, visible: set[Object]) -> None:
    """Take objects that came with their collection from a local view, except those in its rooms."""
    rooms = {obj for obj in visible if obj.tomb_raider.kind == Kind.ROOM}
    inside = set(objects_in(rooms)) | visible
    for obj in in_layer(layer, members(level)):
        obj.local_view_set(view, obj in inside)


class TOMB_RAIDER_OT_toggle_ceilings(Operator):
    """Show or hide backfaces, such as ceilings from above, in all 3D views of this workspace"""

    bl_idname = "tomb_raider.toggle_ceilings"
    bl_label = "Show or Hide Ceilings"

    def execute(self, context: Context) -> Outcome:
        views = list(_views_of(context))
        cull = not all(view.shading.show_backface_culling for view in views)
        for view in views:
            view.shading.show_backface_culling = cull
        return {"FINISHED"} if views else {"CANCELLED"}


class TOMB_RAIDER_OT_overview(LevelTool):
    """Look at the whole level from above"""

    bl_idname = "tomb_raider.overview"
    bl_label = "Overview"
    bl_options = {"REGISTER"}

    edits_level = False

    def execute(self, context: Context) -> Outcome:
        from .first_view import look_from_above

        level = self.level(context)
        if not look_from_above(context, level):
            raise ToolError(
                T("{level}: there is nothing to look at, or no 3D view is open", level=level.name)
            )
        return {"FINISHED"}


class TOMB_RAIDER_OT_hide_backs(ConditionalTool, Operator):
    """Hide faces that point away, so that clicks reach visible ones. Alt+H shows them"""

    bl_idname = "tomb_raider.hide_backs"
    bl_label = "Hide Backfaces"
    bl_options = {"REGISTER", "UNDO"}
    requires = condition(
        lambda context: context.mode == "EDIT_MESH" and getattr(context.space_data, "type", "") == "VIEW_3D",
        T("Go to Edit Mode in a 3D view"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.models import hide_backs

        view: Any = context.space_data
        region, count = view.region_3d, 0
        eye = eye_of(region)
        objects: Iterable[Any] = context.objects_in_mode_unique_data
        for obj in objects:
            local_eye = obj.matrix_world.inverted_safe() @ eye
            count += hide_backs(obj.data, local_eye, is_perspective=region.view_perspective != "ORTHO")
        report_line(self, "INFO", T("Faces hidden: {count}", count=count))
        return {"FINISHED"}


def eye_of(region: Any) -> Matrix:
    """Return the matrix of the eye of a 3D view."""
    if region.view_perspective == "CAMERA":
        return region.view_matrix.inverted()
    # The view matrix is that of the last redraw.
    turn = region.view_rotation.to_matrix().to_4x4()
    back = Matrix.Translation((0.0, 0.0, region.view_distance))
    return Matrix.Translation(region.view_location) @ turn @ back


def _views_of(context: Context) -> Iterable[Any]:
    areas = context.screen.areas if context.screen is not None else ()
    return (area.spaces.active for area in areas if area.type == "VIEW_3D")


class TOMB_RAIDER_OT_isolate_room(ConditionalTool, Operator):
    """Show only the rooms of selected objects and their contents. Again: show all"""

    bl_idname = "tomb_raider.isolate_room"
    bl_label = "Isolate Room"
    bl_options = {"REGISTER", "UNDO"}
    requires = condition(
        lambda context: context.mode == "OBJECT" and getattr(context.space_data, "type", "") == "VIEW_3D",
        T("Go to Object Mode in a 3D view"),
    ) + condition(
        lambda context: _is_local(context) or rooms_of(context.selected_objects),
        T("Select an object in a room"),
    )

    def execute(self, context: Context) -> Outcome:
        if not _is_local(context):
            chosen = list(context.selected_objects)
            for obj in objects_in(rooms_of(chosen)):
                if obj.visible_get():
                    obj.select_set(True)
            bpy.ops.view3d.localview()  # there is no data API for local view
            for obj in context.selected_objects:
                obj.select_set(obj in chosen)
        else:
            bpy.ops.view3d.localview()
        return {"FINISHED"}


def _is_local(context: Context) -> bool:
    return getattr(context.space_data, "local_view", None) is not None


def rooms_of(objects: Iterable[Object]) -> set[Object]:
    """Return the rooms of objects, which may be rooms themselves."""
    from ...scene.subjects.rooms import own_room

    rooms = (obj if obj.tomb_raider.kind == Kind.ROOM else own_room(obj) for obj in objects)
    return {room for room in rooms if room is not None}


def objects_in(rooms: set[Object]) -> list[Object]:
    """Return rooms with all objects in them."""
    levels = {level_of(room) for room in rooms}
    objects = [obj for level in levels if level is not None for obj in members(level)]
    return [*rooms, *(obj for obj in objects if obj not in rooms and rooms_of([obj]) & rooms)]


def draw_parts(layout: UILayout, context: Context, level: Collection) -> None:
    """Draw a toggle for every part that a level has, except its library."""
    _draw_eyes(layout, context, level, [part for part in PARTS if part[0] not in _LIBRARY])


def draw_library(layout: UILayout, context: Context, level: Collection) -> None:
    """Draw a toggle for every part of a level's library, below a heading."""
    from ...scene.core import has_part

    parts = [part for part in PARTS if part[0] in _LIBRARY]
    if any(has_part(level, part[0]) for part in parts):
        layout.label(text="Library")
        _draw_eyes(layout, context, level, parts)


def _draw_eyes(layout: UILayout, context: Context, level: Collection, parts: Iterable[_Part]) -> None:
    from ...scene.core import has_part

    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for kind, label, *_ in parts:
        if has_part(level, kind):
            shown = is_part_shown(context, level, kind)
            button = _eye(grid, "tomb_raider.toggle_library", _SHORT.get(kind, label), shown)
            button.collection, button.kind = level.name, kind


def is_part_shown(context: Context, level: Collection, kind: str) -> bool:
    """Return whether a part of a level is visible in the context's view layer."""
    from ...scene.core import is_shown

    return is_shown(level, active_layer(context), kind)


def draw_ceilings(layout: UILayout, context: Context) -> None:
    """Draw a toggle for back faces, if there is a 3D view."""
    shading = getattr(context.space_data, "shading", None)
    if shading is not None and shading.type in ("SOLID", "WIREFRAME"):  # else materials hide back faces
        _eye(layout, "tomb_raider.toggle_ceilings", "Ceilings", not shading.show_backface_culling)


def _eye(layout: UILayout, operator: str, label: str, shown: bool) -> Any:
    return layout.operator(operator, text=label, icon="HIDE_OFF" if shown else "HIDE_ON", depress=shown)


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_toggle_library,
        TOMB_RAIDER_OT_toggle_ceilings,
        TOMB_RAIDER_OT_overview,
        TOMB_RAIDER_OT_hide_backs,
        TOMB_RAIDER_OT_isolate_room,
    )
)
