"""The list of subjects: options that leave them out, and their fixed numbers in files."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby
from types import ModuleType
from typing import Any

import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.membership import members
from io_tomb_raider.scene.core.stages import steps
from io_tomb_raider.scene.core.subjects import OPTIONS, SUBJECTS, subject_of_kind, subject_of_section
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.properties.base.kinds import COLLECTION_KINDS, IMPORTED, OBJECT_KINDS
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

# Effects of each option when off: missing subjects of the root, and missing kinds of objects.
IN_ROOMS = {"LIGHT", "PORTAL", "COLLISION", "TRIGGER", "PLACEMENT"}
LESS: dict[str, tuple[set[str], set[str]]] = {
    "rooms": (
        {"ROOMS", "LIGHTS", "PORTALS", "COLLISION", "TRIGGERS", "PLACEMENTS"},
        {"ROOM", "SPRITE", "SKY"} | IN_ROOMS,
    ),
    "lights": ({"LIGHTS"}, {"LIGHT"}),
    "collision": ({"COLLISION"}, {"COLLISION"}),
    "portals": ({"PORTALS"}, {"PORTAL"}),
    "triggers": ({"TRIGGERS"}, {"TRIGGER"}),
    "models": ({"MODELS", "ANIMATIONS"}, {"MODEL", "MODEL_MESH", "FIGURE", "SKY"}),
    "animations": ({"ANIMATIONS"}, set()),
    "static_meshes": ({"STATIC_MESHES", "PLACEMENTS"}, {"STATIC_MESH", "PLACEMENT"}),
    "sprites": ({"SPRITES"}, {"SPRITE", "SPRITE_TEXTURE"}),
    "entities": ({"ENTITIES", "AI_OBJECTS"}, {"ENTITY", "AI_OBJECT"}),
    "cameras": (
        {"CAMERAS", "FLYBYS", "CINEMATIC"},
        {"CAMERA", "SINK", "FLYBY", "CINEMATIC", "CINEMATIC_TARGET"},
    ),
    "pathfinding": (set(), {"BOXES"}),
    "sounds": ({"SOUNDS", "SOUND_SOURCES"}, {"SOUND_SOURCE"}),
}

# The dialogs of imports: options below their headings, in the order in which users find them.
OFFERED = [
    ("Rooms", ["Rooms", "Lights", "Collision", "Portals", "Triggers"]),
    ("Library", ["Models", "Animations", "Static Meshes", "Sprites"]),
    ("World", ["Entities", "Cameras", "Pathfinding"]),
    ("Audio", ["Sounds"]),
]

# Files store these numbers instead of the names.
NOTED = {
    "STATIC_MESHES": 1 << 0,
    "PLACEMENTS": 1 << 1,
    "LIGHTS": 1 << 2,
    "SPRITES": 1 << 3,
    "ENTITIES": 1 << 4,
    "MODELS": 1 << 5,
    "ANIMATIONS": 1 << 6,
    "COLLISION": 1 << 7,
    "TRIGGERS": 1 << 8,
    "PORTALS": 1 << 9,
    "CAMERAS": 1 << 10,
    "FLYBYS": 1 << 11,
    "CINEMATIC": 1 << 12,
    "AI_OBJECTS": 1 << 13,
    "SOUNDS": 1 << 14,
    "SOUND_SOURCES": 1 << 15,
    "ANIMATED_TEXTURES": 1 << 16,
    "ROOMS": 1 << 17,
}
OBJECTS = [
    "NONE",
    "ROOM",
    "MODEL",
    "MODEL_MESH",
    "STATIC_MESH",
    "PLACEMENT",
    "ENTITY",
    "LIGHT",
    "SPRITE",
    "SPRITE_TEXTURE",
    "COLLISION",
    "TRIGGER",
    "PORTAL",
    "CAMERA",
    "SINK",
    "FLYBY",
    "CINEMATIC",
    "CINEMATIC_TARGET",
    "AI_OBJECT",
    "SOUND_SOURCE",
    "BOXES",
    "CUTSCENE_CAMERA",
    "CUTSCENE_TARGET",
    "CUTSCENE_ACTOR",
    "CUTSCENE_ORIGIN",
    "FIGURE",
    "SKY",
    "LENS_FLARE",
    "LOAD_CAMERA",
    "MIRROR",
    "IMPORTED_GEOMETRY",
    "SKIN",
]
COLLECTIONS = [
    "NONE",
    "LEVEL",
    "ROOMS",
    "ROOM",
    "MODELS",
    "MODEL",
    "STATIC_MESHES",
    "ENTITIES",
    "SPRITES",
    "COLLISION",
    "TRIGGERS",
    "PORTALS",
    "CAMERAS",
    "SOUNDS",
    "PATHFINDING",
    "CUTSCENE",
    "SKY",
]


def kinds(root: Collection) -> set[str]:
    """Return the kinds of objects in a level; some are for display only."""
    return {obj.tomb_raider.kind for obj in members(root)} - {"NONE"}


def test_numbers_stored_in_users_files_never_change() -> None:
    assert {identifier: number for identifier, _, _, number in IMPORTED} == NOTED
    assert [(identifier, number) for identifier, _, _, number in OBJECT_KINDS] == [
        (identifier, number) for number, identifier in enumerate(OBJECTS)
    ]
    assert [(identifier, number) for identifier, _, _, number in COLLECTION_KINDS] == [
        (identifier, number) for number, identifier in enumerate(COLLECTIONS)
    ]


def test_every_option_is_a_field_that_is_on_unless_it_is_turned_off() -> None:
    switches = {field.name: field.default for field in fields(ImportOptions) if field.default is True}
    # Options that are not about subjects.
    for name in ("set_up_scene", "set_up_frames", "names_from_script", "beside"):
        del switches[name]
    assert switches == {option.name: True for option in OPTIONS}
    assert {subject.option for subject in SUBJECTS if subject.option} == set(switches)


def test_options_are_below_their_headings() -> None:
    headings = groupby(OPTIONS, key=lambda option: option.group)
    assert [(group, [option.label for option in options]) for group, options in headings] == OFFERED


@pytest.mark.parametrize("option", LESS)
@pytest.mark.parametrize("game", [Game.TR2, Game.TR4], ids=lambda game: game.name)
def test_only_subjects_that_are_left_out_are_missing_in_the_scene(
    blender: ModuleType, game: Game, option: str
) -> None:
    data = sample_bytes(game)
    whole = import_level(data, name="Whole").root
    without: dict[str, Any] = {option: False}
    root = import_level(data, ImportOptions(**without), name="Part").root
    noted, less = LESS[option]
    assert set(root.tomb_raider.imported) == set(whole.tomb_raider.imported) - noted
    assert kinds(root) == kinds(whole) - less
    assert export_level(root)[0].to_bytes() == data


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
def test_all_subjects_of_a_level_are_imported_and_recorded(blender: ModuleType, game: Game) -> None:
    root = import_level(sample_bytes(game)).root
    noted = set(root.tomb_raider.imported)
    assert noted == set(NOTED) - ({"CINEMATIC"} if game >= Game.TR4 else {"AI_OBJECTS"})
    # Exports do not depend on whether boxes and the sky were imported.
    unnoted = {"PATHFINDING"} if game is Game.TR1 else {"PATHFINDING", "SKY"}
    assert {subject_of_kind(kind).identifier for kind in kinds(root)} - noted == unnoted


def test_every_subject_registers_its_import_and_export() -> None:
    imported = {subject.identifier for subject, each in steps() if each.imports}
    exported = {subject.identifier for subject, each in steps() if each.exports}
    assert imported == {subject.identifier for subject in SUBJECTS}
    # The sky is only displayed, and object textures, also animated ones, are exported with the faces.
    assert imported - exported == {"SKY", "ANIMATED_TEXTURES"}


def test_sections_belong_to_their_subjects() -> None:
    assert subject_of_section("flyby_cameras").identifier == "FLYBYS"
    assert subject_of_section("cameras").identifier == "CAMERAS"
