"""Properties of rooms, and of the objects in their lists."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    PointerProperty,
)
from bpy.types import Context, PropertyGroup

from ...formats import ExportError, Game
from ...formats.base import DARKEST, T
from ..core.blender.handler_suspension import handlers_active
from ..core.membership import collision_of, level_of, members_of
from ..core.space import Space
from ..core.subjects import Kind
from ..subjects.lights.cones import cone_value, half_angle
from .base.kinds import CONTEXT
from .base.pointers import is_room, is_static_mesh, light_changed
from .views.measures import angle, box, brightness, cone, length, percent
from .views.named import by_catalogue, game_of
from .views.switches import OTHER_VALUE, Items, bit, choice

REVERBS = [
    ("OUTSIDE", "Outside", "Almost no reverberation", 0),
    ("SMALL", "Small Room", "Little reverberation", 1),
    ("MEDIUM", "Medium Room", "Some reverberation", 2),
    ("LARGE", "Large Room", "Much reverberation", 3),
    ("PIPE", "Pipe", "Most reverberation", 4),
    OTHER_VALUE,
]
_NORMAL = ("NORMAL", "Normal", "Light does not change", 0)
_SUNSET = ("SUNSET", "Sunset", "Light fades for twenty minutes, if the game's script enables it", 3)
LIGHT_MODES = [
    _NORMAL,
    ("FLICKER", "Flicker", "Light flickers", 1),
    ("PULSE", "Pulse", "Light repeatedly grows and fades", 2),
    _SUNSET,
    OTHER_VALUE,
]
_BROKEN = T("Broken in TR3: vertices jump up and down, since waves use the same values")
_LIGHT_MODES_TR3 = [
    _NORMAL,
    ("FLICKER", "Flicker (Broken)", _BROKEN, 1),
    ("PULSE", "Pulse (Broken)", _BROKEN, 2),
    _SUNSET,
    OTHER_VALUE,
]
_LIGHT_TYPES_TR3 = [
    ("POINT", "Light Bulb", "Shines in all directions, up to its falloff", 0),
    ("SUN", "Sun", "Shines from one direction", 1),
    OTHER_VALUE,
]
_LIGHT_TYPES = [
    ("SUN", "Sun", "Shines from one direction", 0),
    ("POINT", "Light Bulb", "Shines in all directions", 1),
    ("SPOT", "Spot Light", "Shines in a cone", 2),
    ("SHADOW", "Shadow", "Removes light in all directions", 3),
    ("FOG", "Fog Bulb", "Not a light: fog around its position", 4),
    OTHER_VALUE,
]

_LIGHT_MODES_OF: dict[Game | None, Items] = {Game.TR3: _LIGHT_MODES_TR3}
_LIGHT_TYPES_OF: dict[Game | None, Items] = {Game.TR3: _LIGHT_TYPES_TR3}


def _light_modes(group: PropertyGroup) -> Items:
    return _LIGHT_MODES_OF.get(game_of(group), LIGHT_MODES)


def _light_types(group: PropertyGroup) -> Items:
    return _LIGHT_TYPES_OF.get(game_of(group), _LIGHT_TYPES)


def _water_changed(room: Any) -> None:
    """Set the effects of vertices that depend on the water of a room."""
    from ..subjects.portals.water_effects import water_changed

    obj = room.id_data
    root = level_of(obj)
    if root is not None:
        with suppress(ExportError):  # the next export reports places that are not numbers
            water_changed(root, obj)


MESH_AND_SECTORS = [
    ("INDEPENDENT", "Independent", "Edits of the mesh do not change the sectors, and vice versa", 0),
    (
        "SECTORS",
        "Sectors Follow Mesh",
        "Update sectors from the edited mesh. Marks, footsteps and openings are kept",
        1,
    ),
    ("MESH", "Mesh Follows Sectors", "Update the mesh from edited sectors", 2),
]


def _follow_again(settings: Any, _context: Context) -> None:
    """Make the room follow its mesh or its sectors again, whatever they were last time."""
    obj = collision_of(settings.id_data)
    if obj is not None and obj.is_editable:
        collision = obj.tomb_raider.collision
        collision.read = ""
        if collision.drawing.digest:
            collision.drawing.digest = "changed"


class TombRaiderRoom(PropertyGroup):
    """The properties of a room besides its mesh (documentation, chapter 3.4)."""

    mesh_and_sectors: EnumProperty(
        name="Sectors",  # the panel of rooms has no space for more
        items=MESH_AND_SECTORS,
        update=_follow_again,
        description="Effect of mesh edits on the sectors, and vice versa",
    )

    flags: IntProperty(
        name="All Flags", update=light_changed, description="All flags of the room as one number"
    )
    has_water: bit("flags", 0x01, "Water", "The room is filled with water", _water_changed)
    is_damaging: bit("flags", 0x02, "Damage", "Lara loses health in this room (TRX)")
    is_freezing: bit("flags", 0x04, "Cold Water", "Lara freezes in the water of this room (TRX)")
    shows_sky: bit("flags", 0x08, "Sky", "The sky is visible from this room (TR2 to TR5)")
    has_wind: bit("flags", 0x20, "Wind", "Wind blows Lara's ponytail and particles (TR2 to TR5)")
    is_inside: bit("flags", 0x40, "Inside", "Set for most rooms, but without a known effect (TR3 to TR5)")
    has_quicksand: bit("flags", 0x80, "Quicksand", "The room is filled with quicksand (TR3)", _water_changed)
    blocks_lens_flare: bit("flags", 0x80, "No Lens Flare", "Hides the global lens flare (TR4, TR5)")
    has_caustics: bit(
        "flags", 0x100, "Caustics", "Light moves as under water. The level editor calls it M (TR3 to TR5)"
    )
    has_reflections: bit(
        "flags",
        0x200,
        "Reflections",
        "Water below casts light on the room. The level editor calls it R (TR3 to TR5)",
    )
    has_snow: bit("flags", 0x400, "Snow", "It snows, with TRNG only (TR4)")
    has_rain: bit("flags", 0x800, "Rain", "It rains, with TRNG only. The level editor calls it D (TR4)")
    is_cold: bit("flags", 0x1000, "Cold", "Lara freezes, with TRNG only. The level editor calls it P (TR4)")
    reflects_ceiling: bit("flags", 0x1000, "Reflecting Ceiling", "The ceiling mirrors the room (TR5)")
    ambient: IntProperty(
        name="Ambient",
        update=light_changed,
        description="Light on moving objects: 0 bright to 8191 dark (TR1 to TR3)",
    )
    ambient_measure: brightness("ambient", "Ambient", "Light on moving objects (TR1 to TR3)")
    ambient2: IntProperty(name="Ambient 2", description="Second ambient light (TR2)")
    light_mode: IntProperty(
        name="Light Mode Number", description="Effect on vertex light, by its number (TR2, TR3)"
    )
    light_effect: choice("light_mode", _light_modes, "Light Mode", "Effect on vertex light (TR2, TR3)")
    color: FloatVectorProperty(
        name="Ambient Color",
        translation_context=CONTEXT,
        subtype="COLOR_GAMMA",
        size=4,
        min=0,
        max=1,
        update=light_changed,
        description="Light on moving objects (TR4, TR5)",
    )
    alternate_room: PointerProperty(
        name="Alternate Room",
        type=bpy.types.Object,
        poll=is_room,
        description="Room that replaces this one when the level is flipped",
    )
    alternate_group: IntProperty(
        name="Alternate Group",
        min=0,
        max=255,
        description="Group of rooms that flip together (TR4, TR5, TRX)",
    )
    water_scheme: IntProperty(
        name="Water Scheme",
        min=0,
        max=255,
        soft_max=15,
        description="Light pattern under water; above water, height of the waves (TR3 to TR5)",
    )
    reverb: IntProperty(
        name="Reverb Number", min=0, max=255, description="Reverberation as a number (TR3 to TR5)"
    )
    reverberation: choice("reverb", REVERBS, "Reverb", "Echo of sounds, on consoles only (TR3 to TR5)")
    y: IntProperty(name="Y", description="Height of the room in the file, 0 in all known levels (TR5)")
    bottom_margin: IntProperty(
        name="Bottom Margin",
        description="Distance from the mesh down to the bottom of the room, by which games find rooms",
    )
    bottom_margin_measure: length(
        "bottom_margin", "Bottom Margin", "Distance from the mesh down to the bottom of the room"
    )
    top_margin: IntProperty(
        name="Top Margin",
        description="Distance from the mesh up to the top of the room, by which games find rooms",
    )
    top_margin_measure: length("top_margin", "Top Margin", "Distance from the mesh up to the top of the room")


class TombRaiderPortal(PropertyGroup):
    """An opening through which a room, the parent, shows another room."""

    room: PointerProperty(
        name="Adjoining Room", type=bpy.types.Object, poll=is_room, description="Room seen through the portal"
    )
    room_number: IntProperty(
        name="Room Number",
        default=-1,
        min=-1,
        max=0xFFFF,
        description="Number of a room that is missing in the file",
    )


def _showing(name: str) -> Callable[[PropertyGroup, Context], None]:
    """Return an update function that shows a property of a light in Blender's light."""

    def show(group: Any, _context: Context) -> None:
        if not group.is_shown:  # as in an import, before all values are set
            return
        from ..subjects.lights.light_sync import show_value

        obj = group.id_data
        root = level_of(obj)
        if root is not None:
            show_value(obj, name, Game[root.tomb_raider.game], root.tomb_raider.scale)

    return show


def _change_light_type(group: Any, number: int) -> None:
    """Change the type of a light, and the values whose meaning depends on it."""
    from ..subjects.lights.light_sync import change_type

    obj = group.id_data
    root = level_of(obj)
    if root is None or not group.is_shown:
        group.type = number
    else:
        change_type(obj, number, Game[root.tomb_raider.game], root.tomb_raider.scale)


def _full(_light: PropertyGroup) -> float:
    return DARKEST


class TombRaiderLight(PropertyGroup):
    """The properties of a room light besides Blender's (documentation, chapter 3.2.4)."""

    is_shown: BoolProperty(
        name="Shown",
        description="Blender's own settings match these values. Older versions did not keep them in sync",
    )
    type: IntProperty(
        name="Type",
        update=_showing("type"),
        min=0,
        max=255,
        description="Type as a number. TR3: 0 bulb, 1 sun. TR4, TR5: 0 sun, 1 bulb, 2 spot, 3 shadow, 4 fog",
    )
    light_type: choice("type", _light_types, "Type", "Kind of light (TR3 to TR5)", _change_light_type)
    intensity: IntProperty(
        name="Intensity",
        update=_showing("intensity"),
        description="Brightness: 0 dark to 8191 bright, or more",
    )
    intensity_measure: percent("intensity", _full, "Intensity", "Brightness of the light")
    intensity2: IntProperty(name="Intensity 2", description="Second intensity (TR2)")
    falloff: IntProperty(
        name="Falloff", update=_showing("falloff"), description="Range of the light in units (TR1 to TR3)"
    )
    falloff_measure: length("falloff", "Falloff", "Range of the light (TR1 to TR3)")
    falloff2: IntProperty(name="Falloff 2", description="Second falloff (TR2)")
    inner: FloatProperty(
        name="Inner", update=_showing("inner"), description="Hotspot: range, or angle for a spot (TR4, TR5)"
    )
    outer: FloatProperty(
        name="Outer",
        translation_context=CONTEXT,
        update=_showing("outer"),
        description="Falloff: range, or angle for a spot (TR4, TR5)",
    )
    inner_measure: length("inner", "Inner", "Hotspot: range (TR4, TR5)")
    outer_measure: length("outer", "Outer", "Falloff: range (TR4, TR5)")
    inner_cone: cone("inner", half_angle, cone_value, "Inner", "Hotspot: the angle of the spot's bright part")
    outer_cone: cone("outer", half_angle, cone_value, "Outer", "Falloff: the angle of the spot's cone")
    length: FloatProperty(name="Length", description="Distance where a spot's hotspot ends (TR4)")
    cutoff: FloatProperty(
        name="Cutoff",
        translation_context=CONTEXT,
        update=_showing("cutoff"),
        description="Distance where a spot's falloff ends (TR4)",
    )
    length_measure: length("length", "Length", "Distance where a spot's hotspot ends (TR4)")
    cutoff_measure: length("cutoff", "Cutoff", "Distance where a spot's falloff ends (TR4)")
    inner_angle: FloatProperty(name="Inner Angle", description="Angle of a spot's hotspot (TR5)")
    outer_angle: FloatProperty(name="Outer Angle", description="Angle of a spot's falloff (TR5)")
    range: FloatProperty(
        name="Range",
        translation_context=CONTEXT,
        update=_showing("range"),
        description="Distance where a spot's light ends (TR5)",
    )
    inner_angle_measure: angle("inner_angle", "Inner Angle", "Angle of a spot's hotspot (TR5)")
    outer_angle_measure: angle("outer_angle", "Outer Angle", "Angle of a spot's falloff (TR5)")
    range_measure: length("range", "Range", "Distance where a spot's light ends (TR5)")
    density: FloatProperty(name="Density", description="Density of a fog bulb (TR5)")
    shadow: IntProperty(name="Shadow", description="Strength of a shadow light (TR5)")
    direction: FloatVectorProperty(
        name="Direction",
        size=3,
        subtype="XYZ",
        update=_showing("direction"),
        description="Imported direction, in game axes",
    )
    color: FloatVectorProperty(
        name="Color",
        update=_showing("color"),
        subtype="COLOR_GAMMA",
        size=3,
        default=(1, 1, 1),
        description="Imported color (TR3 to TR5). Red is the density of TR4's fog bulbs",
    )


def _lamp(name: str, description: str) -> object:
    return FloatVectorProperty(name=name, size=4, description=description, options={"HIDDEN"})


class TombRaiderLit(PropertyGroup):
    """The light on an object, read by the nodes of a level's materials; see ``lights.object_lighting``."""

    ambient: _lamp("Ambient", "Ambient brightness; fourth value 1 if the object is lit by these values")
    place_1: _lamp(
        "Place 1", "Position of the first light and its range; without a range, the direction to it"
    )
    place_2: _lamp("Place 2", "Position of the second light")
    place_3: _lamp("Place 3", "Position of the third light")
    color_1: _lamp("Color 1", "Brightness of the first light; fourth value 1 if it also lights backs")
    color_2: _lamp("Color 2", "Brightness of the second light")
    color_3: _lamp("Color 3", "Brightness of the third light")
    absorbed: FloatVectorProperty(
        name="Absorbed", size=3, description="Color absorbed by water", options={"HIDDEN"}
    )
    distance: FloatVectorProperty(
        name="Distance", size=4, description="Light absorbed by distance", options={"HIDDEN"}
    )
    has_own: FloatVectorProperty(
        name="Has Own Light",
        size=1,
        description="1 if the shown vertices have light, so that black is black; otherwise it may be missing",
        options={"HIDDEN"},
    )


class TombRaiderPlacement(PropertyGroup):
    """A static mesh placed in a room."""

    static_mesh: PointerProperty(
        name="Static Mesh",
        type=bpy.types.Object,
        poll=is_static_mesh,
        description="Static mesh of the library",
    )
    id: IntProperty(
        name="ID", min=0, max=0xFFFF, description="Id of a static mesh that is missing in the library"
    )
    id_name: by_catalogue("id", "static", "Name", "Static mesh that is missing in the library, by name or id")
    intensity: IntProperty(
        name="Intensity", update=light_changed, description="Light: 0 bright to 8191 dark (TR1, TR2)"
    )
    intensity_measure: brightness(
        "intensity", "Intensity", "Light; half leaves the mesh unchanged (TR1, TR2)"
    )
    intensity2: IntProperty(
        name="Intensity 2", description="Second intensity (TR2); unused word (TR3 to TR5)"
    )
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        update=light_changed,
        description="Tint in steps of 1/31; half leaves the mesh unchanged (TR3 to TR5)",
    )


_BOX = T("Min x, max x, min y, max y, min z, max z; all 0: fitted to the mesh")


def _is_solid(settings: Any) -> bool:
    from ..subjects.static_meshes.solid import is_solid

    level = level_of(settings.id_data)
    return is_solid(settings.id_data, Game.TR1 if level is None else Game[level.tomb_raider.game])


def _set_solid(settings: Any, on: bool) -> None:
    from ..subjects.static_meshes.solid import set_solid

    level = level_of(settings.id_data)
    if level is not None:
        with suppress(ExportError):  # the next export reports a mesh that is too large
            set_solid(settings.id_data, Game[level.tomb_raider.game], on, Space.of(level))


class TombRaiderStaticMesh(PropertyGroup):
    """A static mesh of the library."""

    id: IntProperty(name="ID", min=0, description="Id of the static mesh, used by rooms")
    id_name: by_catalogue("id", "static", "Name", "Static mesh of this id, by name or number")
    visibility_box: IntVectorProperty(name="Visibility Box", size=6, description=_BOX)
    collision_box: IntVectorProperty(name="Collision Box", size=6, description=_BOX)
    visibility_box_measure: box(
        "visibility_box", "Visibility Box", "Parts of the mesh outside of this box are not drawn"
    )
    collision_box_measure: box("collision_box", "Collision Box", "Box that Lara collides with")
    flags: IntProperty(name="All Flags", description="All flags of the static mesh as one number")
    is_drawn: bit("flags", 2, "Drawn in Rooms", "Drawn in rooms. Off: invisible there (TR1 to TR3)")
    has_collision: BoolProperty(
        name="Collision",
        get=_is_solid,
        set=_set_solid,
        description="Lara collides with it. Off: a flag in TR1 to TR3, an empty box in TR4 and TR5",
    )
    former_box: IntVectorProperty(
        name="Former Collision Box",
        size=6,
        options={"HIDDEN"},
        description="Collision box before Collision was turned off (TR4, TR5)",
    )


def _show_picture(sprite: Any, _context: Context) -> None:
    """Show the picture of the library that a sprite of a room has by its number."""
    obj = sprite.id_data
    root = level_of(obj) if obj.tomb_raider.kind == Kind.SPRITE and handlers_active() else None
    for each in members_of(root, Kind.SPRITE_TEXTURE) if root is not None else ():
        is_another = each.tomb_raider.index == sprite.texture and obj.data != each.data
        if is_another and isinstance(obj.data, bpy.types.Mesh):
            obj.data = each.data


class TombRaiderSprite(PropertyGroup):
    """A sprite of a room, or one picture of a sprite sequence."""

    texture: IntProperty(
        name="Sprite Texture", update=_show_picture, min=0, description="Number of the picture"
    )
    sequence: IntProperty(
        name="Sequence", default=-1, description="Id of the sprite sequence of this picture, or -1"
    )
    sequence_name: by_catalogue(
        "sequence", "sprite", "Sequence", "Sprite sequence of this picture, by name or id"
    )
    place: IntProperty(name="Place", min=0, description="Position of this picture in its sequence, from 0")
    vertex: IntProperty(name="Vertex", default=-1, description="Vertex of the room at its imported position")


GROUPS = (
    TombRaiderLit,
    TombRaiderRoom,
    TombRaiderPortal,
    TombRaiderLight,
    TombRaiderPlacement,
    TombRaiderStaticMesh,
    TombRaiderSprite,
)
