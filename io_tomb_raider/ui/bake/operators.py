"""Bake Light operator."""

from typing import TYPE_CHECKING

from bpy.props import EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Event, Object
from bpy.utils import register_classes_factory

from ...formats.base import T
from ...scene.core import OF_ROOMS
from ..base.active import room_of
from ..base.conditions import IN_OBJECT_MODE
from ..base.operators import LevelTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, report_line
from ..base.stepped import SteppedTool

if TYPE_CHECKING:
    from ...scene.core import Work

_METHODS = [
    ("FORMULA", "Formula", "As in level editors: by the values of each room's own lights, with shadows", 0),
    (
        "CYCLES",
        "Cycles",
        "As in Blender renders: all lights, emissive materials, the sky and reflected light",
        1,
    ),
]
_RAYS = [
    ("1", "Hard Shadows", "One ray to each light", 1),
    ("9", "Soft Shadows", "Nine rays to points around each light", 9),
    ("25", "Softer Shadows", "25 rays to points around each light", 25),
]
_TARGETS = [
    ("ROOMS", "Vertices", "Light of the vertices of rooms", 1),
    ("STATIC_MESHES", "Static Meshes", "Light of placed static meshes", 2),
    (
        "AMBIENT",
        "Ambient",
        "Ambient light of rooms: mean of their vertices. Off: kept as base of the formula",
        4,
    ),
]

_ROOMS = [
    ("ACTIVE", "Room of Active Object", "The active room, or the room of the active object", 0),
    ("SELECTED", "Rooms of Selection", "The selected rooms, and the rooms of selected objects", 1),
    ("ALL", "All Rooms", "All rooms of the level", 2),
]


class TOMB_RAIDER_OT_bake_light(SteppedTool, LevelTool):
    """Recompute the light of rooms and placed static meshes from the lights"""

    bl_idname = "tomb_raider.bake_light"
    bl_label = "Bake Light"

    edited_kinds = OF_ROOMS

    method: EnumProperty(name="Method", items=_METHODS, description="Method to compute the light")
    rays: EnumProperty(
        name="Shadows", items=_RAYS, default="9", description="Softness of the shadows of the formula"
    )
    samples: IntProperty(
        name="Samples",
        default=16,
        min=1,
        max=4096,
        description="Cycles samples per corner of a face. More is smoother and slower",
    )
    exposure: FloatProperty(
        name="Exposure",
        default=1.0,
        min=0.0,
        soft_max=4.0,
        max=1000.0,
        description="Factor for lights. Ambient light stays unchanged",
    )
    targets: EnumProperty(
        name="Bake",
        items=_TARGETS,
        options={"ENUM_FLAG"},
        default={"ROOMS", "STATIC_MESHES"},
        description="Data that receives the light",
    )
    rooms: EnumProperty(
        name="Rooms",
        items=_ROOMS,
        default="ALL",
        description="Rooms to bake. Where they meet other rooms, they take the light of those",
        options={"SKIP_SAVE"},
    )

    requires = IN_OBJECT_MODE

    def invoke(self, context: Context, event: Event) -> Outcome:
        if not self.properties.is_property_set("rooms"):
            count = len(_selected_rooms(context))
            self.rooms = (
                "SELECTED" if count > 1 else "ACTIVE" if room_of(context.object) is not None else "ALL"
            )
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "method")
        layout.prop(self, "rays" if self.method == "FORMULA" else "samples")
        layout.prop(self, "exposure")
        layout.column().prop(self, "targets")
        layout.column().prop(self, "rooms", expand=True)

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ...scene.authoring.bake import BakeOptions, bake_steps

        level = self.level(context)
        active = room_of(context.object)
        rooms = {
            "ACTIVE": frozenset({active} if active is not None else ()),
            "SELECTED": _selected_rooms(context),
        }.get(self.rooms)
        if rooms is not None and not rooms:
            text = (
                T("The active object is in no room") if self.rooms == "ACTIVE" else T("No room is selected")
            )
            raise ToolError(text)
        options = BakeOptions(
            self.method,
            int(self.rays),
            self.samples,
            self.exposure,
            frozenset(self.targets),
            rooms or frozenset(),
        )
        bar.title = T("Baking light")
        rooms_lit, vertices, placed = yield from bake_steps(level, options)
        report_line(
            self,
            "INFO",
            T(
                "Light baked. Rooms: {rooms_lit}, vertices: {vertices}, static meshes: {placed}",
                rooms_lit=rooms_lit,
                vertices=vertices,
                placed=placed,
            ),
        )
        return {"FINISHED"}


def _selected_rooms(context: Context) -> frozenset[Object]:
    """Return the selected rooms, and those of other selected objects."""
    return frozenset(room for obj in context.selected_objects if (room := room_of(obj)) is not None)


_CLASSES = (TOMB_RAIDER_OT_bake_light,)


register, unregister = register_classes_factory(_CLASSES)
