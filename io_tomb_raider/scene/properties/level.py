"""Settings of a level as a whole."""

from typing import Any

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from .pointers import pointer_set
from .views.measures import length

_OTHER = -1
_OTHER_ITEM = ("OTHER", "Other", "Another number, which the games do not know", _OTHER)
# Documentation, chapter 10.5.
_LARA_TYPES = [
    ("NORMAL", "Normal", "Lara as ever", 0),
    ("CATSUIT", "Catsuit", "Lara in the catsuit", 3),
    ("DIVESUIT", "Divesuit", "Lara in the divesuit", 4),
    ("INVISIBLE", "Invisible", "Lara is not seen", 6),
    _OTHER_ITEM,
]
_WEATHERS = [
    ("NORMAL", "None", "Neither rain nor snow", 0),
    ("RAIN", "Rain", "It rains in rooms that are outside", 1),
    ("SNOW", "Snow", "It snows in rooms that are outside", 2),
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
        description="Show the sky page above the camera, as the game does if its script says so. "
        "Exports are the same",
    )
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(128 / 255, 128 / 255, 128 / 255),
        update=_show_sky,
        description="Light on the clouds: half of white shows the page as it is",
    )
    speed: IntProperty(
        name="Speed",
        min=-128,
        max=127,
        update=_show_sky,
        description="How far the clouds move with each frame, in the game's units",
    )


class TombRaiderLevel(PropertyGroup):
    """The file's settings of the level as a whole."""

    number: IntProperty(name="Level Number", description="Number that the games do not look at, mostly 0")
    lara_type: IntProperty(name="Lara Type", min=0, max=0xFFFF, description="Lara's outfit as a number (TR5)")
    lara: _choice("lara_type", _LARA_TYPES, "Lara", "Outfit that Lara wears (TR5)")
    weather_type: IntProperty(name="Weather Type", min=0, max=0xFFFF, description="Weather as a number (TR5)")
    weather: _choice("weather_type", _WEATHERS, "Weather", "Weather in rooms that are outside (TR5)")
    demo_frames: IntProperty(
        name="Demo Frames", min=0, description="Length of the recorded demo, 30 frames per second"
    )
    sprites_face_camera: BoolProperty(
        name="Sprites Face Camera",
        update=_turn_sprites,
        description="Turn sprites to the camera of the scene, as the games do. Exports are the same",
    )
    shows_distance: BoolProperty(
        name="Distance",
        update=_show_distance,
        description="Let what is far away get dark, or fade into the fog color, as in the game. "
        "Exports are the same",
    )
    distance_start: IntProperty(
        name="Start",
        min=0,
        update=_show_fog,
        description="Distance from which on things get dark, in the game's units",
    )
    distance_start_measure: length("distance_start", "Start", "Distance from which on things get dark")
    distance_end: IntProperty(
        name="End",
        min=0,
        update=_show_fog,
        description="Distance at which nothing is left of full light, in the game's units",
    )
    distance_end_measure: length("distance_end", "End", "Distance at which nothing is left of full light")
    fades_to_color: BoolProperty(
        name="Fade to Fog Color",
        update=_show_fog,
        description="Let what is far away fade into the fog color instead of getting dark, as some levels do "
        "(TR4, TR5)",
    )
    fog_color: FloatVectorProperty(
        name="Fog Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(0.5, 0.5, 0.5),
        update=_show_fog,
        description="Color of distance and of TR4's fog bulbs. The game has it from its script",
    )
    shows_horizon: BoolProperty(
        name="Horizon",
        default=True,
        update=_show_sky,
        description="Show the horizon model around the camera, as the game does if its script says so. "
        "Exports are the same",
    )
    sky_layer1: PointerProperty(type=TombRaiderSkyLayer)
    sky_layer2: PointerProperty(type=TombRaiderSkyLayer)
    shows_fog_bulbs: BoolProperty(
        name="Fog Bulbs",
        update=_show_fog,
        description="Show the fog of fog bulbs, as in the game (TR4, TR5). Exports are the same",
    )
    edited: PointerProperty(
        name="Edited Entity",
        type=Object,
        update=pointer_set,
        description="Entity whose model is open to be edited",
    )
    view_distance: FloatProperty(
        name="View Distance",
        description="How far the eye was before it came near to a model that is edited; 0 where it stayed",
        options={"HIDDEN"},
    )
    library_was_shown: BoolProperty(
        name="Library Was Shown", description="Whether the models were to be seen before one was opened"
    )


class TombRaiderFinding(PropertyGroup):
    """A result of a check or an export."""

    severity: EnumProperty(
        name="Severity",
        items=[
            ("INFO", "Information", "The file that was imported has it, too, or it may be meant", 0),
            ("WARNING", "Warning", "The game will not do what the scene shows", 1),
            ("ERROR", "Error", "The level cannot be exported, or the game may crash", 2),
        ],
        description="How bad it is",
    )
    subject: StringProperty(name="Subject", description="Name of what it is about")
    text: StringProperty(name="Text", description="What is wrong, and what to do")
    message: StringProperty(
        name="Message", description="The text with its arguments, for its translation", options={"HIDDEN"}
    )
    fix: StringProperty(name="Fix", description="Name of what mends it safely, if there is such a thing")
    has_place: BoolProperty(name="Has Place", description="It is known where in the level it is")
    place: FloatVectorProperty(name="Place", subtype="TRANSLATION", description="Where it is in the level")


GROUPS = (TombRaiderSkyLayer, TombRaiderLevel, TombRaiderFinding)
