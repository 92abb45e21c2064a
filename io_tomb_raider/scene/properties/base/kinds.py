"""Enumerations of kinds. The numbers are stored in users' files and never change."""

from __future__ import annotations

from ....formats.base import Traits
from ...core.subjects import SUBJECTS, Kind

# The translation context of words that Blender itself uses in another sense. Blender keeps a pointer to this
# string, so it must live as long as the properties.
CONTEXT = "Tomb Raider"

GAMES = [
    ("TR1", "Tomb Raider I", "Tomb Raider and Unfinished Business", 1),
    ("TR2", "Tomb Raider II", "Tomb Raider II and The Golden Mask", 2),
    ("TR3", "Tomb Raider III", "Tomb Raider III and The Lost Artefact", 3),
    ("TR4", "The Last Revelation", "Tomb Raider: The Last Revelation and the level editor's levels", 4),
    ("TR5", "Chronicles", "Tomb Raider Chronicles", 5),
]

TARGETS = [
    ("ORIGINAL", "Original Game", "The game's own engine, with its limits", "DISC", 0),
    ("TRX", "TRX", "The TRX engine, with higher limits (TR1 to TR4)", "COMMUNITY", 1),
]


def _in_order(*items: tuple[str, str, str, int]) -> list[tuple[str, str, str, int]]:
    """Return the items of an enumeration by their numbers, as the plain tuples that Blender requires."""
    plain = [
        (str(identifier), label, description, number) for identifier, label, description, number in items
    ]
    return sorted(plain, key=lambda each: each[3])


_NONE = (Kind.NONE, "None", "Not part of a level", 0)

COLLECTION_KINDS = _in_order(
    _NONE,
    (Kind.LEVEL, "Level", "The root of a level", 1),
    (Kind.CUTSCENE, "Cutscene", "Actors and camera of one cutscene", 15),
    *(kind for subject in SUBJECTS for kind in subject.collections),
)

OBJECT_KINDS = _in_order(
    _NONE,
    (Kind.CUTSCENE_CAMERA, "Cutscene Camera", "The camera of a cutscene", 21),
    (Kind.CUTSCENE_TARGET, "Cutscene Target", "The target of the camera of a cutscene", 22),
    (Kind.CUTSCENE_ACTOR, "Cutscene Actor", "An actor of a cutscene", 23),
    (Kind.CUTSCENE_ORIGIN, "Cutscene Origin", "The origin of all positions in a cutscene", 24),
    (Kind.LENS_FLARE, "Lens Flare", "The lens flare of the script (TR4, TR5)", 27),
    (Kind.LOAD_CAMERA, "Loading Camera", "The view behind the script's loading screen (TR4)", 28),
    (Kind.MIRROR, "Mirror", "The plane in which the script mirrors a room (TR4, TR5)", 29),
    *(kind for subject in SUBJECTS for kind in subject.objects),
)

IMAGE_KINDS = [
    ("NONE", "None", "Not part of a level", 0),
    ("PAGE", "Texture Page", "A texture page of a level", 1),
    ("PALETTE", "Palette", "The palette of a level", 2),
    ("MISC", "Miscellaneous Page", "Font, sky or environment map (TR4, TR5)", 3),
    ("PICTURE", "Picture", "A logo or screen of a PAK file (TR4, TR5)", 4),
]

PAGE_USES = [
    ("ANY", "Any", "Rooms and all other uses", 0),
    ("ROOMS", "Rooms", "Textures of rooms (TR4, TR5)", 1),
    ("OBJECTS", "Objects", "Textures of models, static meshes and sprites (TR4, TR5)", 2),
    ("BUMPED", "Bumped", "Textures of faces with a bump level (TR4, TR5)", 3),
    ("HEIGHTS", "Height Map", "Heights of the pixels of a bumped page (TR4, TR5)", 4),
]

# Subjects that were imported or not, stored in the root collection of a level.
IMPORTED = _in_order(
    *(
        (subject.identifier, subject.label, subject.description, subject.number)
        for subject in SUBJECTS
        if subject.number
    )
)


def camera_kinds(traits: Traits, *, for_trx: bool = False) -> set[str]:
    """Return the kinds of cameras and similar objects that a game has, or TRX in its place."""
    has = {
        Kind.CAMERA: True,
        Kind.SINK: True,
        Kind.FLYBY: traits.has_flybys or for_trx,
        Kind.CINEMATIC: traits.has_cinematics,
        Kind.AI_OBJECT: bool(traits.ai_marks),
    }
    return {kind for kind, is_known in has.items() if is_known}
