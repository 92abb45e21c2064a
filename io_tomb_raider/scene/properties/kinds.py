"""What kinds of things a level is made of in Blender. The numbers stand in users' files and never change."""

from __future__ import annotations

from ...formats.games import Traits

GAMES = [
    ("TR1", "Tomb Raider I", "Tomb Raider and Unfinished Business", 1),
    ("TR2", "Tomb Raider II", "Tomb Raider II and The Golden Mask", 2),
    ("TR3", "Tomb Raider III", "Tomb Raider III and The Lost Artefact", 3),
    ("TR4", "The Last Revelation", "Tomb Raider: The Last Revelation and the level editor's levels", 4),
    ("TR5", "Chronicles", "Tomb Raider Chronicles", 5),
]

COLLECTION_KINDS = [
    ("NONE", "None", "Not a part of a level", 0),
    ("LEVEL", "Level", "The root of a level", 1),
    ("ROOMS", "Rooms", "All rooms of a level", 2),
    ("ROOM", "Room", "A room with its lights, static meshes and sprites", 3),
    ("MODELS", "Models", "The library of models", 4),
    ("MODEL", "Model", "A model: its armature and meshes", 5),
    ("STATIC_MESHES", "Static Meshes", "The library of static meshes", 6),
    ("ENTITIES", "Entities", "All entities of a level", 7),
    ("SPRITES", "Sprites", "The library of sprite sequences", 8),
    ("COLLISION", "Collision", "The collision of all rooms", 9),
    ("TRIGGERS", "Triggers", "What happens where Lara steps", 10),
    ("PORTALS", "Portals", "Openings between rooms", 11),
    ("CAMERAS", "Cameras", "Cameras, sinks, flybys and the level's own cutscene", 12),
    ("SOUNDS", "Sounds", "Sound sources", 13),
    ("PATHFINDING", "Pathfinding", "Boxes by which enemies find their way", 14),
    ("CUTSCENE", "Cutscene", "Actors and camera of one cutscene", 15),
]

OBJECT_KINDS = [
    ("NONE", "None", "Not a part of a level", 0),
    ("ROOM", "Room", "The visible mesh of a room", 1),
    ("MODEL", "Model", "The armature of a model", 2),
    ("MODEL_MESH", "Mesh of a Model", "The rigid mesh of one bone", 3),
    ("STATIC_MESH", "Static Mesh", "A static mesh in the library", 4),
    ("PLACEMENT", "Placed Static Mesh", "A static mesh placed in a room", 5),
    ("ENTITY", "Entity", "An entity: an instance of a model or a sprite", 6),
    ("LIGHT", "Light", "A light of a room", 7),
    ("SPRITE", "Sprite", "A sprite of a room", 8),
    ("SPRITE_TEXTURE", "Sprite Texture", "One picture of a sprite sequence, in the library", 9),
    ("COLLISION", "Collision", "Floors, ceilings and walls of a room's sectors", 10),
    ("TRIGGER", "Trigger", "What happens where Lara steps", 11),
    ("PORTAL", "Portal", "An opening from one room to another", 12),
    ("CAMERA", "Camera", "A fixed camera", 13),
    ("SINK", "Sink", "A current that pulls Lara", 14),
    ("FLYBY", "Flyby Camera", "One camera of a flyby sequence", 15),
    ("CINEMATIC", "Cinematic Camera", "The camera of a cutscene level", 16),
    ("CINEMATIC_TARGET", "Cinematic Target", "What the camera of a cutscene level looks at", 17),
    ("AI_OBJECT", "AI Object", "A mark that characters act on", 18),
    ("SOUND_SOURCE", "Sound Source", "A place that sounds", 19),
    ("BOXES", "Boxes", "Boxes by which enemies find their way", 20),
    ("CUTSCENE_CAMERA", "Cutscene Camera", "The camera of a cutscene", 21),
    ("CUTSCENE_TARGET", "Cutscene Target", "What the camera of a cutscene looks at", 22),
    ("CUTSCENE_ACTOR", "Cutscene Actor", "An actor of a cutscene", 23),
    ("CUTSCENE_ORIGIN", "Cutscene Origin", "The place that everything in a cutscene is relative to", 24),
]

IMAGE_KINDS = [
    ("NONE", "None", "Not a part of a level", 0),
    ("PAGE", "Texture Page", "A texture page of a level", 1),
    ("PALETTE", "Palette", "The palette of a level", 2),
    ("MISC", "Miscellaneous Page", "Font, sky or environment map (TR4, TR5)", 3),
    ("PICTURE", "Picture", "A logo or screen of a PAK file (TR4, TR5)", 4),
]

PAGE_USES = [
    ("ANY", "Any", "Rooms and all else", 0),
    ("ROOMS", "Rooms", "Textures of rooms (TR4, TR5)", 1),
    ("OBJECTS", "Objects", "Textures of models, static meshes and sprites (TR4, TR5)", 2),
    ("BUMPED", "Bumped", "Textures of faces with a bump level (TR4, TR5)", 3),
    ("HEIGHTS", "Height Map", "How high the pixels of a bumped page stand out (TR4, TR5)", 4),
]

SUBJECTS = [
    ("STATIC_MESHES", "Static Meshes", "The library of static meshes", 1),
    ("PLACEMENTS", "Placed Static Meshes", "Static meshes placed in rooms", 2),
    ("LIGHTS", "Lights", "Lights of rooms", 4),
    ("SPRITES", "Sprites", "Sprites of rooms, and the library of sprite sequences", 8),
    ("ENTITIES", "Entities", "Entities", 16),
    ("MODELS", "Models", "The library of models", 32),
    ("ANIMATIONS", "Animations", "Animations of the models", 64),
    ("COLLISION", "Collision", "Sectors of rooms", 128),
    ("TRIGGERS", "Triggers", "Triggers", 256),
    ("PORTALS", "Portals", "Openings between rooms", 512),
    ("CAMERAS", "Cameras", "Cameras and sinks", 1024),
    ("FLYBYS", "Flybys", "Flyby cameras", 2048),
    ("CINEMATIC", "Cinematic Frames", "The camera of a cutscene level", 4096),
    ("AI_OBJECTS", "AI Objects", "AI objects", 8192),
    ("SOUNDS", "Sounds", "Samples and sound details", 16384),
    ("SOUND_SOURCES", "Sound Sources", "Sound sources", 32768),
    ("ANIMATED_TEXTURES", "Animated Textures", "Animated textures", 65536),
    ("ROOMS", "Rooms", "Rooms", 131072),
]


def camera_kinds(traits: Traits) -> set[str]:
    """Return which kinds of cameras, and of places like theirs, a game has."""
    has = {
        "CAMERA": True,
        "SINK": True,
        "FLYBY": traits.has_flybys,
        "CINEMATIC": traits.has_cinematics,
        "AI_OBJECT": traits.has_ai_objects,
    }
    return {kind for kind, is_known in has.items() if is_known}
