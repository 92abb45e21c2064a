"""The subjects of levels: every subject registers here, once.

Import and export, the import's settings, the command line and the enumerations in properties take names,
order and labels from these two lists. Nothing here loads a converter: :mod:`.stages` does.

A new section of the file needs a module with its steps and one entry in :data:`SUBJECTS`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ...formats.levels.level import Level, SectionName

Color = Literal["NONE", "COLOR_01", "COLOR_02", "COLOR_03", "COLOR_04", "COLOR_05", "COLOR_06", "COLOR_07"]


class Kind(StrEnum):
    """Kinds of objects and collections: the values of their property ``tomb_raider.kind``."""

    NONE = "NONE"
    LEVEL = "LEVEL"
    ROOM = "ROOM"
    ROOMS = "ROOMS"
    IMPORTED_GEOMETRY = "IMPORTED_GEOMETRY"
    MODEL = "MODEL"
    MODEL_MESH = "MODEL_MESH"
    SKIN = "SKIN"
    FIGURE = "FIGURE"
    MODELS = "MODELS"
    SKY = "SKY"
    STATIC_MESH = "STATIC_MESH"
    STATIC_MESHES = "STATIC_MESHES"
    SPRITE = "SPRITE"
    SPRITE_TEXTURE = "SPRITE_TEXTURE"
    SPRITES = "SPRITES"
    PLACEMENT = "PLACEMENT"
    LIGHT = "LIGHT"
    PORTAL = "PORTAL"
    PORTALS = "PORTALS"
    COLLISION = "COLLISION"
    ENTITY = "ENTITY"
    ENTITIES = "ENTITIES"
    CAMERA = "CAMERA"
    SINK = "SINK"
    CAMERAS = "CAMERAS"
    AI_OBJECT = "AI_OBJECT"
    FLYBY = "FLYBY"
    TRIGGER = "TRIGGER"
    TRIGGERS = "TRIGGERS"
    SOUND_SOURCE = "SOUND_SOURCE"
    SOUNDS = "SOUNDS"
    BOXES = "BOXES"
    PATHFINDING = "PATHFINDING"
    CINEMATIC = "CINEMATIC"
    CINEMATIC_TARGET = "CINEMATIC_TARGET"
    CUTSCENE = "CUTSCENE"
    CUTSCENE_CAMERA = "CUTSCENE_CAMERA"
    CUTSCENE_TARGET = "CUTSCENE_TARGET"
    CUTSCENE_ACTOR = "CUTSCENE_ACTOR"
    CUTSCENE_ORIGIN = "CUTSCENE_ORIGIN"
    LENS_FLARE = "LENS_FLARE"
    LOAD_CAMERA = "LOAD_CAMERA"
    MIRROR = "MIRROR"


# Objects whose meshes are those of rooms.
OF_ROOMS = (Kind.ROOM, Kind.IMPORTED_GEOMETRY)


class KindItem(NamedTuple):
    """A kind of objects or collections: an item of a Blender enumeration."""

    identifier: str  #: a :class:`Kind`.
    #: label, description: shown to users.
    label: str
    description: str
    number: int  #: stored in users' files, so it never changes.


class Option(NamedTuple):
    """A subject or group of subjects that users can leave out of an import."""

    #: of the field of :class:`~.context.ImportOptions`, the operator's property, and the argument on the
    #: command line. Users' scripts and presets contain it, so it never changes.
    name: str
    #: label, description: shown to users.
    label: str
    description: str
    group: str  #: the heading in the dialog.
    needs: str = ""  #: the option that it requires, or "".
    short: str = ""  #: its label below the heading, if different.


class Subject(NamedTuple):
    """A part of levels that is imported and exported."""

    #: identifier, label, description: of the item in the root collection's set of imported subjects.
    identifier: str
    label: str
    description: str
    #: its bit in that set, stored in users' files, so it never changes; 0 if it is not in the set.
    number: int = 0
    option: str = ""  #: the option that includes it; "" if it is always imported.
    needs: tuple[str, ...] = ()  #: further required options.
    section: SectionName | None = None  #: the section of the file, if it is exactly one.
    for_trx: bool = False  #: whether TRX adds it to games without that section.
    objects: tuple[KindItem, ...] = ()
    #: the kinds of its collections; the first is that of its main collection.
    collections: tuple[KindItem, ...] = ()
    #: the visibility of the main collection after an import: ``hidden`` is excluded from the view layer,
    #: ``library`` too if there are rooms; ``closed`` is then visible in renders only.
    view: Literal["shown", "closed", "library", "hidden"] = "shown"
    color: Color = "NONE"  #: of the main collection in the outliner, by Blender's numbers.
    module: str = ""  #: its module with steps, see :mod:`.stages`.

    @property
    def options(self) -> tuple[str, ...]:
        """All options that must be on for its import."""
        result = dict.fromkeys((self.option, *self.needs) if self.option else self.needs)
        return (*result, *(each.needs for each in OPTIONS if each.name in result and each.needs))

    def is_in(self, level: Level) -> bool:
        """Return whether a level can have it: some games lack some sections."""
        return (
            self.section is None
            or level.has(self.section)
            or (self.for_trx and level.game.traits.has_trx and level.has("models"))
        )


# In the order of the dialog.
OPTIONS = (
    Option("rooms", "Rooms", "Rooms with their textures and lighting", "Rooms", short="Geometry"),
    Option("lights", "Lights", "Lights of the rooms", "Rooms", needs="rooms"),
    Option(
        "collision", "Collision", "Floors, ceilings and walls of the rooms' sectors", "Rooms", needs="rooms"
    ),
    Option(
        "portals", "Portals", "Openings through which adjoining rooms are visible", "Rooms", needs="rooms"
    ),
    Option(
        "triggers",
        "Triggers",
        "Triggers of sectors, shown as boxes",
        "Rooms",
        needs="rooms",
    ),
    Option("models", "Models", "Armatures with a mesh per bone", "Library"),
    Option("animations", "Animations", "Animations of the models as actions", "Library", needs="models"),
    Option("static_meshes", "Static Meshes", "Static meshes and their placements in rooms", "Library"),
    Option("sprites", "Sprites", "Sprite sequences and sprites of rooms", "Library"),
    Option("entities", "Entities", "Entities as instances of their models", "World"),
    Option(
        "cameras",
        "Cameras",
        "Fixed cameras and sinks, flyby cameras, and the camera of a cutscene level",
        "World",
    ),
    Option("pathfinding", "Pathfinding", "Boxes and zones for the pathfinding of enemies", "World"),
    Option("sounds", "Sounds", "Samples, sounds, and sound sources as speakers", "Audio"),
)

# In the order of import and export.
SUBJECTS = (
    Subject(
        "ANIMATED_TEXTURES",
        "Animated Textures",
        "Animated textures",
        65536,
        module="subjects.animated_textures.animated_textures",
    ),
    Subject(
        "ROOMS",
        "Rooms",
        "Rooms",
        131072,
        option="rooms",
        objects=(
            KindItem(Kind.ROOM, "Room", "The visible mesh of a room", 1),
            KindItem(
                Kind.IMPORTED_GEOMETRY,
                "Imported Geometry",
                "A model in a room of a Tomb Editor project, exported as a part of its room",
                30,
            ),
        ),
        collections=(
            KindItem(Kind.ROOMS, "Rooms", "All rooms of a level", 2),
            KindItem(Kind.ROOM, "Room", "A room with its lights, static meshes and sprites", 3),
        ),
        color="COLOR_04",
        module="subjects.rooms.rooms",
    ),
    Subject(
        "MODELS",
        "Models",
        "The library of models",
        32,
        option="models",
        objects=(
            KindItem(Kind.MODEL, "Model", "The armature of a model", 2),
            KindItem(Kind.MODEL_MESH, "Mesh of a Model", "The rigid mesh of one bone", 3),
            KindItem(Kind.FIGURE, "As Drawn", "A copy of a mesh, where the game draws it as well", 25),
        ),
        collections=(
            KindItem(Kind.MODELS, "Models", "The library of models", 4),
            KindItem(Kind.MODEL, "Model", "A model: its armature and meshes", 5),
        ),
        view="library",
        color="COLOR_05",
        module="subjects.models.steps",
    ),
    Subject(
        "SKINS",
        "Skins",
        "Meshes of whole models, bent by their bones (TombEngine)",
        option="models",
        objects=(KindItem(Kind.SKIN, "Skin", "The mesh of a whole model, bent by its bones", 31),),
        module="subjects.skins.skins",
    ),
    Subject(
        "SKY",
        "Sky",
        "The horizon, around the camera",
        option="models",
        needs=("rooms",),
        objects=(KindItem(Kind.SKY, "Sky", "The horizon model as the game draws it, around the camera", 26),),
        collections=(KindItem(Kind.SKY, "Sky", "The horizon, around the camera", 16),),
        view="closed",
        color="COLOR_05",
        module="subjects.sky.sky",
    ),
    Subject(
        "STATIC_MESHES",
        "Static Meshes",
        "The library of static meshes",
        1,
        option="static_meshes",
        objects=(KindItem(Kind.STATIC_MESH, "Static Mesh", "A static mesh in the library", 4),),
        collections=(KindItem(Kind.STATIC_MESHES, "Static Meshes", "The library of static meshes", 6),),
        view="library",
        color="COLOR_05",
        module="subjects.static_meshes.static_meshes",
    ),
    Subject(
        "SPRITES",
        "Sprites",
        "Sprites of rooms, and the library of sprite sequences",
        8,
        option="sprites",
        objects=(
            KindItem(Kind.SPRITE, "Sprite", "A sprite of a room", 8),
            KindItem(
                Kind.SPRITE_TEXTURE, "Sprite Texture", "One picture of a sprite sequence, in the library", 9
            ),
        ),
        collections=(KindItem(Kind.SPRITES, "Sprites", "The library of sprite sequences", 8),),
        view="hidden",
        color="COLOR_05",
        module="subjects.sprites.sprites",
    ),
    Subject(
        "PLACEMENTS",
        "Placed Static Meshes",
        "Static meshes placed in rooms",
        2,
        option="static_meshes",
        needs=("rooms",),
        objects=(KindItem(Kind.PLACEMENT, "Placed Static Mesh", "A static mesh placed in a room", 5),),
        module="subjects.static_meshes.placements",
    ),
    Subject(
        "LIGHTS",
        "Lights",
        "Lights of rooms",
        4,
        option="lights",
        objects=(KindItem(Kind.LIGHT, "Light", "A light of a room", 7),),
        module="subjects.lights.lights",
    ),
    Subject(
        "PORTALS",
        "Portals",
        "Openings between rooms",
        512,
        option="portals",
        objects=(KindItem(Kind.PORTAL, "Portal", "An opening from one room to another", 12),),
        collections=(KindItem(Kind.PORTALS, "Portals", "Openings between rooms", 11),),
        view="hidden",
        color="COLOR_06",
        module="subjects.portals.portals",
    ),
    Subject(
        "COLLISION",
        "Collision",
        "Sectors of rooms",
        128,
        option="collision",
        objects=(
            KindItem(Kind.COLLISION, "Collision", "Floors, ceilings and walls of a room's sectors", 10),
        ),
        collections=(KindItem(Kind.COLLISION, "Collision", "The collision of all rooms", 9),),
        view="hidden",
        color="COLOR_02",
        module="subjects.collision.sectors",
    ),
    Subject(
        "ENTITIES",
        "Entities",
        "Entities",
        16,
        option="entities",
        section="entities",
        objects=(KindItem(Kind.ENTITY, "Entity", "An entity: an instance of a model or a sprite", 6),),
        collections=(KindItem(Kind.ENTITIES, "Entities", "All entities of a level", 7),),
        color="COLOR_01",
        module="subjects.entities.entities",
    ),
    Subject(
        "CAMERAS",
        "Cameras",
        "Cameras and sinks",
        1024,
        option="cameras",
        section="cameras",
        objects=(
            KindItem(Kind.CAMERA, "Camera", "A fixed camera", 13),
            KindItem(Kind.SINK, "Sink", "A current that pulls Lara", 14),
        ),
        collections=(
            KindItem(Kind.CAMERAS, "Cameras", "Cameras, sinks, flybys and the level's own cutscene", 12),
        ),
        color="COLOR_03",
        module="subjects.cameras.fixed",
    ),
    Subject(
        "AI_OBJECTS",
        "AI Objects",
        "AI objects",
        8192,
        option="entities",
        section="ai_objects",
        objects=(KindItem(Kind.AI_OBJECT, "AI Object", "A marker that characters act on", 18),),
        module="subjects.entities.ai_objects",
    ),
    Subject(
        "FLYBYS",
        "Flybys",
        "Flyby cameras",
        2048,
        option="cameras",
        section="flyby_cameras",
        for_trx=True,
        objects=(KindItem(Kind.FLYBY, "Flyby Camera", "One camera of a flyby sequence", 15),),
        module="subjects.cameras.flybys",
    ),
    Subject(
        "TRIGGERS",
        "Triggers",
        "Triggers",
        256,
        option="triggers",
        objects=(KindItem(Kind.TRIGGER, "Trigger", "Actions that happen where Lara steps", 11),),
        collections=(KindItem(Kind.TRIGGERS, "Triggers", "Actions that happen where Lara steps", 10),),
        view="closed",
        color="COLOR_07",
        module="subjects.triggers.triggers",
    ),
    Subject(
        "SOUNDS",
        "Sounds",
        "Samples and sound details",
        16384,
        option="sounds",
        module="subjects.sounds.sounds",
    ),
    Subject(
        "SOUND_SOURCES",
        "Sound Sources",
        "Sound sources",
        32768,
        option="sounds",
        objects=(KindItem(Kind.SOUND_SOURCE, "Sound Source", "A place that plays a sound", 19),),
        collections=(KindItem(Kind.SOUNDS, "Sounds", "Sound sources", 13),),
        color="COLOR_03",
        module="subjects.sounds.sources",
    ),
    Subject(
        "PATHFINDING",
        "Pathfinding",
        "Boxes for the pathfinding of enemies",
        option="pathfinding",
        objects=(KindItem(Kind.BOXES, "Boxes", "Boxes for the pathfinding of enemies", 20),),
        collections=(KindItem(Kind.PATHFINDING, "Pathfinding", "Boxes for the pathfinding of enemies", 14),),
        view="hidden",
        color="COLOR_02",
        module="subjects.pathfinding.boxes",
    ),
    Subject(
        "ANIMATIONS",
        "Animations",
        "Animations of the models",
        64,
        option="animations",
        module="subjects.animations.actions",
    ),
    Subject(
        "CINEMATIC",
        "Cinematic Frames",
        "The camera of a cutscene level",
        4096,
        option="cameras",
        section="cinematic_frames",
        objects=(
            KindItem(Kind.CINEMATIC, "Cinematic Camera", "The camera of a cutscene level", 16),
            KindItem(
                Kind.CINEMATIC_TARGET, "Cinematic Target", "The target of the camera of a cutscene level", 17
            ),
        ),
        module="subjects.cutscenes.cinematics",
    ),
)


def subject_of_kind(kind: str) -> Subject:
    """Return the subject of a kind of objects. Raises KeyError if there is none."""
    return _BY_KIND[kind]


def subject_of_section(section: SectionName) -> Subject:
    """Return the subject of a section of the file. Raises KeyError if there is none."""
    return _BY_SECTION[section]


_BY_KIND = {kind.identifier: subject for subject in SUBJECTS for kind in subject.objects}
_BY_SECTION = {subject.section: subject for subject in SUBJECTS if subject.section}
