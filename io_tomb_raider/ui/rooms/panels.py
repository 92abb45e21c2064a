"""Panels of rooms, portals and flipped rooms, with the fields that the level's game has."""

from __future__ import annotations

from bpy.types import Collection, Context, Mesh, Object, UILayout
from mathutils import Vector

from ...formats import Game
from ...formats.base import N_, T
from ...scene.core import Kind, collision_of
from ..base.active import active_collection, active_layer, active_object
from ..base.layout.panels import (
    LevelPart,
    ObjectPanel,
    PropertiesPanel,
    SubjectTools,
    fields,
    offer,
    split_columns,
    tool,
)
from ..base.levels import game_of, level_of
from ..base.text.i18n import translate
from .apart import draw_reasons

_TOOLS = (
    "make_room",
    "split_into_rooms",
    "cut_to_sectors",
    "duplicate_room",
    "delete_room",
    "snap_rooms",
    "connect_rooms",
    "connect_all",
    "make_portal",
    "bake_light",
)
_SKY = ("shows_sky", "has_wind")
_LATER = (*_SKY, "is_inside", "has_caustics", "has_reflections")
# Flags of rooms that each game has.
_FLAGS: dict[Game, tuple[str, ...]] = {
    Game.TR1: ("has_water",),
    Game.TR2: ("has_water", *_SKY),
    Game.TR3: ("has_water", "has_quicksand", *_LATER),
    Game.TR4: ("has_water", *_LATER, "blocks_lens_flare", "has_snow", "has_rain", "is_cold"),
    Game.TR5: ("has_water", *_LATER, "blocks_lens_flare", "reflects_ceiling"),
}
# Flags that most rooms need; the others are in a closed panel.
_OFTEN = ("has_water", "has_quicksand", "shows_sky")
_FLAGS_OF_TRX = ("has_quicksand", *_SKY, "is_damaging", "is_freezing")


class OBJECT_PT_tomb_raider_room(ObjectPanel):
    bl_label = "Tomb Raider Room"
    kind = Kind.ROOM
    tools = (
        ("duplicate_room", "delete_room"),
        "refresh_from_mesh",
        "isolate_collision",
        "add_collision",
        "bake_light",
    )

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        room = obj.tomb_raider.room
        if _may_be_part(obj):
            box = layout.column()
            box.label(text="Part of a room, without collision", icon="INFO")
            box.operator("tomb_raider.join_back")
            box.operator("tomb_raider.connect_part")
        if game.traits.has_room_layers and isinstance(obj.data, Mesh) and not len(obj.data.vertices):
            layout.label(text="A null room: the game does not draw it", icon="INFO")
        if collision_of(obj) is not None:
            fields(layout, room, "mesh_and_sectors")
        fields(layout, room, *(flag for flag in _flags(obj, game) if flag in _OFTEN), heading="Contents")
        lighting = {
            Game.TR1: ("ambient",),
            Game.TR2: ("ambient", "ambient2", "light_effect"),
            Game.TR3: ("ambient", "light_effect"),
        }
        fields(layout, room, *lighting.get(game, ("color",)))
        if "light_effect" in lighting.get(game, ()) and room.light_effect == "OTHER":
            fields(layout, room, "light_mode")
        has_groups = game.traits.has_flip_groups or _is_for_trx(obj, game)
        fields(layout, room, "alternate_room", *(("alternate_group",) if has_groups else ()))


def _is_for_trx(obj: Object, game: Game) -> bool:
    level = level_of(obj)
    return game.traits.has_trx and level is not None and level.tomb_raider.engine == "TRX"


def _flags(obj: Object, game: Game) -> tuple[str, ...]:
    """Return the flags that a room of a game has."""
    of_trx = _FLAGS_OF_TRX if _is_for_trx(obj, game) else ()
    return tuple(dict.fromkeys((*_FLAGS[game], *of_trx)))


class OBJECT_PT_tomb_raider_room_details(PropertiesPanel):
    """Part of the panel of a room with what few rooms need."""

    bl_label = "More Settings"
    bl_context = "object"
    bl_parent_id = "OBJECT_PT_tomb_raider_room"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return OBJECT_PT_tomb_raider_room.poll(context) and level_of(context.object) is not None

    def draw(self, context: Context) -> None:
        obj = active_object(context)
        level = level_of(obj)
        if level is None:
            return
        room, game, layout = obj.tomb_raider.room, game_of(level), split_columns(self)
        rare = (flag for flag in _flags(obj, game) if flag not in _OFTEN)
        fields(layout, room, *rare, "flags", heading="Contents")
        if game.traits.has_reverb:
            fields(layout, room, "water_scheme")
        if game.traits.has_reverb or _is_for_trx(obj, game):
            fields(layout, room, "reverberation")
            if room.reverberation == "OTHER":
                fields(layout, room, "reverb")
        if isinstance(obj.data, Mesh) and len(obj.data.vertices):
            fields(layout, room, "bottom_margin", "top_margin")
            layout.label(text=translate(_extent(obj)))
        if game.traits.has_room_layers:
            fields(layout, room, "y")


def _extent(obj: Object) -> str:
    """Return the lowest and the highest point of a room in the file, in its units."""
    from ...scene.core import DEFAULT_SCALE

    level, settings = level_of(obj), obj.tomb_raider.room
    scale = DEFAULT_SCALE if level is None else level.tomb_raider.scale
    heights = [-(obj.matrix_world @ Vector(corner)).z / scale for corner in obj.bound_box]
    bottom, top = round(max(heights)) + settings.bottom_margin, round(min(heights)) - settings.top_margin
    return T("In the file from y {top} to {bottom}", top=top, bottom=bottom)


def _may_be_part(obj: Object) -> bool:
    """Return whether a room may be a separated part; the operator checks its faces."""
    settings = obj.tomb_raider
    return settings.is_copy and not any(child.tomb_raider.kind == Kind.COLLISION for child in obj.children)


class OBJECT_PT_tomb_raider_imported_geometry(ObjectPanel):
    bl_label = "Tomb Raider Imported Geometry"
    kind = Kind.IMPORTED_GEOMETRY
    tools = ("join_back",)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        layout.prop(obj, "parent", text="Room")


class OBJECT_PT_tomb_raider_loose_mesh(ObjectPanel):
    """Panel of a user's mesh in a level that is not part of it yet."""

    bl_label = "Tomb Raider"
    tools = ("make_room", "join_to_room")

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        if obj is None or obj.type != "MESH" or obj.tomb_raider.kind != Kind.NONE:
            return False
        return obj.parent_type != "BONE" and level_of(obj) is not None

    def draw(self, context: Context) -> None:
        column = split_columns(self)
        column.label(text="Not in the level yet", icon="INFO")
        for operator in self.tools:
            offer(column, operator)


class OBJECT_PT_tomb_raider_portal(ObjectPanel):
    bl_label = "Tomb Raider Portal"
    kind = Kind.PORTAL

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        portal = obj.tomb_raider.portal
        layout.prop(obj, "parent", text="Room")
        layout.prop(portal, "room")
        if portal.room is None and portal.room_number >= 0:
            layout.prop(portal, "room_number")


def draw_flips(layout: UILayout, context: Context, level: Collection) -> None:
    """Draw a toggle for every group of rooms that flip together."""
    from ...scene.subjects.rooms import ALL, flip_groups, is_flipped

    groups = flip_groups(level)
    for group in groups:
        text = translate(N_("Flipped") if group == ALL else T("Group {group} Flipped", group=group))
        on = is_flipped(level, active_layer(context), group)
        button = layout.operator(
            "tomb_raider.flip_level",
            text=text,
            translate=False,
            icon="CHECKBOX_HLT" if on else "CHECKBOX_DEHLT",
            depress=on,
        )
        button.collection, button.group = level.name, group


class COLLECTION_PT_tomb_raider_flips(LevelPart):
    bl_label = "Flipped Rooms"

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.rooms import flip_groups

        return bool(flip_groups(active_collection(context)))

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        draw_flips(split_columns(self), context, level)


class VIEW3D_PT_tomb_raider_rooms(SubjectTools):
    """Panel of tools for rooms."""

    bl_label = "Rooms"
    kinds = (Kind.ROOM, Kind.NONE)

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("tomb_raider.add_room")
        row.operator("tomb_raider.add_room", text="", icon="TRIA_UP").side = "ABOVE"
        row.operator("tomb_raider.add_room", text="", icon="TRIA_DOWN").side = "BELOW"
        for operator in _TOOLS:
            tool(column, context, operator)
            if operator == "connect_all":
                draw_reasons(column)
        alternate = offer(column, "duplicate_room", text="Add Alternate Room")
        if alternate is not None:
            alternate.as_alternate = True
        layout.prop(level.tomb_raider.water_surface, "material", text="Water Surface")


CLASSES = (
    OBJECT_PT_tomb_raider_room,
    OBJECT_PT_tomb_raider_room_details,
    OBJECT_PT_tomb_raider_imported_geometry,
    OBJECT_PT_tomb_raider_loose_mesh,
    OBJECT_PT_tomb_raider_portal,
    COLLECTION_PT_tomb_raider_flips,
    VIEW3D_PT_tomb_raider_rooms,
)
