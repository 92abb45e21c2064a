"""Settings of a level as a whole."""

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ..core.blender.handler_suspension import handlers_active
from .base.pointers import is_room, pointer_set
from .views.measures import length


class TombRaiderAlong(PropertyGroup):
    """An object that is copied with an asset."""

    thing: PointerProperty(
        name="Object",
        type=bpy.types.Object,
        update=pointer_set,
        description="Object that is added with the asset",
    )


_OTHER = -1
_OTHER_ITEM = ("OTHER", "Other", "Another number, unknown to the games", _OTHER)
# Documentation, chapter 10.5.
_LARA_TYPES = [
    ("NORMAL", "Normal", "Lara in her usual outfit", 0),
    ("CATSUIT", "Catsuit", "Lara in the catsuit", 3),
    ("DIVESUIT", "Divesuit", "Lara in the divesuit", 4),
    ("INVISIBLE", "Invisible", "Lara is invisible", 6),
    _OTHER_ITEM,
]
_WEATHERS = [
    ("NORMAL", "None", "Neither rain nor snow", 0),
    ("RAIN", "Rain", "Rain in outside rooms", 1),
    ("SNOW", "Snow", "Snow in outside rooms", 2),
    _OTHER_ITEM,
]


def _choice(field: str, items: list[tuple[str, str, str, int]], name: str, description: str) -> object:
    """Declare an enumeration for an integer property by the names of its values."""
    known = {item[3] for item in items}

    def get(group: PropertyGroup) -> int:
        value = getattr(group, field)
        return value if value in known else _OTHER

    def put(group: PropertyGroup, value: int) -> None:
        if value != _OTHER:
            setattr(group, field, value)

    return EnumProperty(name=name, description=description, items=items, get=get, set=put)


def _turn_sprites(group: Any, _context: Context) -> None:
    from ..subjects.sprites.facing import face_camera

    face_camera(group.id_data, group.sprites_face_camera)


def _show_fog(group: Any, _context: Context) -> None:
    from ..subjects.lights.fog import show_fog

    show_fog(group.id_data)


def _show_distance(group: Any, _context: Context) -> None:
    from ..subjects.lights.fog import show_fog, start_with_the_games_numbers

    start_with_the_games_numbers(group.id_data)
    show_fog(group.id_data)


def _show_sky(group: Any, _context: Context) -> None:
    from ..subjects.sky.sky import show_whole_sky

    show_whole_sky(group.id_data)


class TombRaiderSkyLayer(PropertyGroup):
    """A cloud layer, which the games define in their scripts (TR4, TR5)."""

    shown: BoolProperty(
        name="Shown",
        update=_show_sky,
        description="Show the sky page in the viewport. The game shows it if its script enables it",
    )
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(128 / 255, 128 / 255, 128 / 255),
        update=_show_sky,
        description="Light on the clouds; half of white shows the page unchanged",
    )
    speed: IntProperty(
        name="Speed",
        min=-128,
        max=127,
        update=_show_sky,
        description="Movement of the clouds per frame, in game units",
    )


def _show_material(row: Any, _context: Context) -> None:
    if handlers_active():  # imports do it at once
        from ..subjects.level.texture_materials import show_materials

        show_materials(row.id_data, number=row.number)


def _map(name: str) -> Any:
    text = "Path of the map from the texture's image (TombEngine)"
    return StringProperty(name=name, subtype="FILE_PATH", update=_show_material, description=text)


def _strength(name: str) -> Any:
    text = "Strength of the map (TombEngine)"
    return FloatProperty(name=name, min=0, soft_max=4, default=1, update=_show_material, description=text)


class TombRaiderTexturePath(PropertyGroup):
    """The image of a texture of a .wad2, with its material; its name is that in the file."""

    number: IntProperty(name="Number", min=0, description="Number of the texture in the file")
    path: StringProperty(
        name="Path",
        description="Path of its image from the .wad2, which the editor reads. Empty: only in the file",
    )
    has_image: BoolProperty(name="Has Image", options={"HIDDEN"}, description="Its material was read")
    kind: EnumProperty(
        name="Type",
        items=[
            ("DEFAULT", "Default", "", 0),
            ("REFLECTIVE", "Reflective", "", 1),
            ("SKYBOX", "Skybox Reflective", "", 2),
            ("OTHER", "Other", "", 3),
        ],
        update=_show_material,
        description="What the texture reflects besides lights (TombEngine)",
    )
    normal: _map("Normal")
    height: _map("Height Map")
    specular: _map("Specular")
    roughness: _map("Roughness")
    occlusion: _map("Ambient Occlusion")
    emissive: _map("Emissive")
    has_strengths: BoolProperty(
        name="Has Strengths", options={"HIDDEN"}, description="Its file has strengths"
    )
    normal_strength: _strength("Normal Strength")
    specular_strength: _strength("Specular Strength")


class TombRaiderLevel(PropertyGroup):
    """The file's settings of the level as a whole."""

    has_extras: BoolProperty(
        name="Extras", options={"HIDDEN"}, description="Blending, skins and paths of a .wad2 were imported"
    )
    texture_paths: CollectionProperty(
        name="Texture Files",
        type=TombRaiderTexturePath,
        description="Textures of a .wad2 with names or paths",
    )
    active_texture_path: IntProperty(name="Active Texture", options={"HIDDEN"})

    number: IntProperty(name="Level Number", description="Number that the games ignore, mostly 0")
    lara_type: IntProperty(name="Lara Type", min=0, max=0xFFFF, description="Lara's outfit as a number (TR5)")
    lara: _choice("lara_type", _LARA_TYPES, "Lara", "Lara's outfit (TR5)")
    weather_type: IntProperty(name="Weather Type", min=0, max=0xFFFF, description="Weather as a number (TR5)")
    weather: _choice("weather_type", _WEATHERS, "Weather", "Weather in outside rooms (TR5)")
    demo_frames: IntProperty(
        name="Demo Frames", min=0, description="Length of the recorded demo, 30 frames per second"
    )
    has_demo: BoolProperty(
        name="Demo",
        default=True,
        description="Export the recorded demo; off: the level has none (TR1 to TR3)",
    )
    demo_room: PointerProperty(
        name="Room", type=Object, poll=is_room, description="Room where Lara starts the demo"
    )
    demo_place: FloatVectorProperty(
        name="Start",
        subtype="TRANSLATION",
        size=3,
        description="Position where Lara starts the demo. Her recorded moves stay the same",
    )
    demo_angle: FloatProperty(
        name="Angle", subtype="ANGLE", description="Direction in which Lara starts the demo"
    )
    sprites_face_camera: BoolProperty(
        name="Sprites Face Camera",
        update=_turn_sprites,
        description="Turn sprites to the scene camera, as the games do. Does not affect exports",
    )
    shows_distance: BoolProperty(
        name="Distance",
        update=_show_distance,
        description="Darken distant objects or fade them into the fog color. Does not affect exports",
    )
    distance_start: IntProperty(
        name="Start", min=0, update=_show_fog, description="Distance where darkening starts, in game units"
    )
    distance_start_measure: length("distance_start", "Start", "Distance where darkening starts")
    distance_end: IntProperty(
        name="End", min=0, update=_show_fog, description="Distance where no full light is left, in game units"
    )
    distance_end_measure: length("distance_end", "End", "Distance where no full light is left")
    fades_to_color: BoolProperty(
        name="Fade to Fog Color",
        update=_show_fog,
        description="Fade distant objects into the fog color instead of darkening them (TR4, TR5)",
    )
    fog_color: FloatVectorProperty(
        name="Fog Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(0.5, 0.5, 0.5),
        update=_show_fog,
        description="Color of distant objects and of TR4's fog bulbs. The game reads it from its script",
    )
    shows_horizon: BoolProperty(
        name="Horizon",
        default=True,
        update=_show_sky,
        description="Show the horizon model in the viewport. The game shows it if its script enables it",
    )
    sky_layer1: PointerProperty(type=TombRaiderSkyLayer)
    sky_layer2: PointerProperty(type=TombRaiderSkyLayer)
    shows_fog_bulbs: BoolProperty(
        name="Fog Bulbs",
        update=_show_fog,
        description="Show the fog of fog bulbs (TR4, TR5). Does not affect exports",
    )
    edited: PointerProperty(
        name="Edited Entity",
        type=Object,
        update=pointer_set,
        description="Entity whose model is being edited",
    )
    view_distance: FloatProperty(
        name="View Distance",
        description="View distance before it moved to the edited model; 0 if it did not move",
        options={"HIDDEN"},
    )
    library_was_shown: BoolProperty(
        name="Library Was Shown", description="Visibility of the models before editing started"
    )


class TombRaiderEdit(PropertyGroup):
    """An edit that TRX makes when it loads the level."""

    is_enabled: BoolProperty(
        name="Enabled", default=True, description="Export this edit. Disabled ones stay in the .blend only"
    )
    key: StringProperty(name="Key", description="Number of the edit in the block", options={"HIDDEN"})
    label: StringProperty(name="Label", description="Kind of edit")
    detail: StringProperty(name="Detail", description="New values")
    subject: StringProperty(name="Subject", description="Name of the element without an object in the scene")
    target: PointerProperty(
        name="Target", type=Object, update=pointer_set, description="Object that the edit changes"
    )


GROUPS = (TombRaiderSkyLayer, TombRaiderTexturePath, TombRaiderLevel, TombRaiderEdit, TombRaiderAlong)
