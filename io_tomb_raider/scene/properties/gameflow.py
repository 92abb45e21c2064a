"""Properties of a level's entry in the game flow of TRX."""

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
from bpy.types import Context, PropertyGroup

from .base.pointers import is_room, pointer_set

# The types of steps that TRX knows, for searching; others can be typed. Those of TR4 with the parameters that
# a new one has.
STEPS = {
    **dict.fromkeys(
        (
            "add_secret_reward",
            "disable_floor",
            "display_picture",
            "enable_sunset",
            "exit_to_title",
            "give_item",
            "globe_select",
            "level_complete",
            "level_stats",
            "loading_screen",
            "loop_game",
            "play_cutscene",
            "play_fmv",
            "play_music",
            "remove_ammo",
            "remove_binoculars",
            "remove_flares",
            "remove_medipacks",
            "remove_scions",
            "remove_weapons",
            "reset_hub",
            "set_lara_start_anim",
            "setup_bacon_lara",
            "total_stats",
        ),
        "",
    ),
    "enable_lightning": "",
    "setup_horizon": '"layer": 0, "color": "#A0A0C0", "speed": 7',
    "setup_lens_flare": '"x": 0, "y": 0, "z": 0, "color": "#FFFFFF"',
    "setup_uv_rotate": '"speed": 4',
}
# The first and the last version of TRX 1 with a step, for those that not all have.
_VERSIONS = {"remove_binoculars": (11, 99), "reset_hub": (11, 99), "setup_bacon_lara": (0, 9)}


def _kind_changed(step: "TombRaiderStep", _context: Context) -> None:
    if not step.parameters:
        step.parameters = STEPS.get(step.kind, "")


def _kinds(group: PropertyGroup, _context: Context, typed: str) -> list[str]:
    owner: Any = group.id_data
    version = owner.tomb_raider.gameflow.version
    ranges = ((each, _VERSIONS.get(each, (0, 99))) for each in sorted(STEPS) if typed.casefold() in each)
    return [each for each, (first, last) in ranges if first <= version <= last]


class TombRaiderStep(PropertyGroup):
    """A step of the sequence of a level."""

    kind: StringProperty(
        name="Type",
        search=_kinds,
        search_options={"SUGGESTION"},
        update=_kind_changed,
        description="Type of the step",
    )
    parameters: StringProperty(
        name="Parameters", description='Parameters of the step as in the game flow, such as "music_track": 5'
    )
    room: PointerProperty(
        name="Room",
        type=bpy.types.Object,
        poll=is_room,
        update=pointer_set,
        description="Room of the step: the room in which Bacon Lara mirrors Lara",
    )
    raw_room: IntProperty(
        name="Number of Room",
        default=-1,
        min=-1,
        description="Number of the room in the file, if the scene has no object for it. -1 for none",
    )


class TombRaiderGameflow(PropertyGroup):
    """The entry of a level in the game flow of TRX."""

    path: StringProperty(
        name="Game Flow",
        subtype="FILE_PATH",
        description="Game flow of TRX (gameflow.json5) that the entry was read from or written to",
    )
    version: IntProperty(
        name="Version",
        default=11,
        options={"HIDDEN"},
        description="Newest version of TRX 1 that the game flow can be for",
    )
    relations: StringProperty(
        name="Relations",
        options={"HIDDEN"},
        description="Slots of pickups, and slots that belong together, according to files of TRX",
    )
    catalogs: StringProperty(
        name="Property Catalogs",
        subtype="DIR_PATH",
        description="Folder of Tomb Editor's property catalogs for TRX, with names, types and defaults",
    )
    title: StringProperty(name="Title", description="Title of the level, in strings.json5 or its entry")
    track: IntProperty(
        name="Track", default=-1, min=-1, description="Soundtrack of the level. -1: none in the entry"
    )
    has_water_color: BoolProperty(name="Own Water Color", description="Use another water color than the game")
    water_color: FloatVectorProperty(
        name="Water Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(0.45, 1, 1),
        description="Factors of the light under water",
    )
    has_fog: BoolProperty(name="Own Fog", description="Use other fog distances than the game")
    fog_start: FloatProperty(
        name="Start", default=22, min=0, description="Distance where fog starts, in sectors"
    )
    fog_end: FloatProperty(
        name="End", default=30, min=0, description="Distance where nothing is visible, in sectors"
    )
    has_fog_color: BoolProperty(name="Own Fog Color", description="Use another color of fog than the game")
    fog_color: FloatVectorProperty(
        name="Fog Color", subtype="COLOR_GAMMA", size=3, min=0, max=1, description="Color of fog"
    )
    fog_bulbs: EnumProperty(
        name="Fog Bulbs",
        items=[
            ("GAME", "As in the Game", "", 0),
            ("ON", "On", "", 1),
            ("OFF", "Off", "", 2),
        ],
        description="Fog around the fog bulbs of the level",
    )
    steps: CollectionProperty(
        name="Sequence", type=TombRaiderStep, description="Steps of the level, in order"
    )
    active_step: IntProperty(
        name="Active Step", options={"SKIP_SAVE"}, description="Index of the active step"
    )
    dropping: StringProperty(
        name="Entities with Drops",
        options={"HIDDEN"},
        description="Numbers of entities that drop items according to the file",
    )


GROUPS = (TombRaiderStep, TombRaiderGameflow)
