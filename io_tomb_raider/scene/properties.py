"""What a level's datablocks carry beyond Blender's own data: typed properties, grouped by kind.

Every group hangs on its datablock as ``.tomb_raider``. ``index`` is where the thing stood in the file that
it came from, or -1 for what is new: a hint that orders the export and finds the original record, never
an identity, since users duplicate things.
"""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from . import compat
from .space import DEFAULT_SCALE
from .typed_views import bit, bits, blend_mode

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
]


def _pointer_set(group: PropertyGroup, _context: bpy.types.Context) -> None:
    if group.id_data is not None:
        compat.let_pointers_be_cleared(group.id_data)


def _is_of_same_model(group: PropertyGroup, other: bpy.types.Action) -> bool:
    return other.tomb_raider.model == group.model


def _is_room(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "ROOM"


def _is_static_mesh(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "STATIC_MESH"


class TombRaiderRoom(PropertyGroup):
    """What a room is beyond its mesh (documentation, chapter 3.4)."""

    flags: IntProperty(name="Flags", description="All flags of the room as one number")
    has_water: bit("flags", 0x01, "Water", "The room is filled with water")
    shows_sky: bit("flags", 0x08, "Sky", "The sky can be seen from this room (TR2 to TR5)")
    has_wind: bit("flags", 0x20, "Wind", "Wind blows Lara's ponytail and particles (TR2 to TR5)")
    has_quicksand: bit("flags", 0x80, "Quicksand", "The room is filled with quicksand (TR3)")
    blocks_lens_flare: bit("flags", 0x80, "No Lens Flare", "Hides the global lens flare (TR4, TR5)")
    has_caustics: bit("flags", 0x100, "Caustics", "Light moves as under water (TR3 to TR5)")
    has_reflections: bit("flags", 0x200, "Reflections", "Water below throws light on it (TR3 to TR5)")
    ambient: IntProperty(
        name="Ambient", description="Light on moving things: 0 bright to 8191 dark (TR1 to TR3)"
    )
    ambient2: IntProperty(name="Ambient 2", description="Second ambient light (TR2)")
    light_mode: IntProperty(name="Light Mode", description="Effect on vertex light (TR2, TR3)")
    color: FloatVectorProperty(
        name="Ambient Color",
        subtype="COLOR_GAMMA",
        size=4,
        min=0,
        max=1,
        description="Light on moving things (TR4, TR5)",
    )
    alternate_room: PointerProperty(
        name="Alternate Room",
        type=bpy.types.Object,
        poll=_is_room,
        description="Takes this room's place when flipped",
    )
    alternate_group: IntProperty(
        name="Alternate Group", min=0, max=255, description="Rooms that flip together (TR4, TR5)"
    )
    water_scheme: IntProperty(
        name="Water Scheme", min=0, max=255, description="Caustics or waves (TR3 to TR5)"
    )
    reverb: IntProperty(name="Reverb", min=0, max=255, description="Reverberation (TR3 to TR5)")


class TombRaiderLight(PropertyGroup):
    """What a room light is beyond Blender's light (documentation, chapter 3.2.4)."""

    type: IntProperty(
        name="Type",
        min=0,
        max=255,
        description="TR3: 0 point, 1 sun. TR4, TR5: 0 sun, 1 point, 2 spot, 3 shadow, 4 fog bulb",
    )
    intensity: IntProperty(name="Intensity", description="0 dark to 8191 bright, or more")
    intensity2: IntProperty(name="Intensity 2", description="Second intensity (TR2)")
    falloff: IntProperty(name="Falloff", description="How far it shines, in units (TR1 to TR3)")
    falloff2: IntProperty(name="Falloff 2", description="Second falloff (TR2)")
    inner: FloatProperty(name="Inner", description="Hotspot: range, or angle of a spot (TR4, TR5)")
    outer: FloatProperty(name="Outer", description="Falloff: range, or angle of a spot (TR4, TR5)")
    length: FloatProperty(name="Length", description="Where a spot's hotspot ends (TR4)")
    cutoff: FloatProperty(name="Cutoff", description="Where a spot's falloff ends (TR4)")
    inner_angle: FloatProperty(name="Inner Angle", description="TR5")
    outer_angle: FloatProperty(name="Outer Angle", description="TR5")
    range: FloatProperty(name="Range", description="TR5")
    density: FloatProperty(name="Density", description="Of a fog bulb (TR5)")
    shadow: IntProperty(name="Shadow", description="Of a shadow light (TR5)")
    direction: FloatVectorProperty(name="Direction", size=3, description="In the file's axes, as it was read")
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        default=(1, 1, 1),
        description="As the file has it (TR3 to TR5). Red is the density of TR4's fog bulbs",
    )


class TombRaiderPlacement(PropertyGroup):
    """A static mesh placed in a room."""

    static_mesh: PointerProperty(
        name="Static Mesh",
        type=bpy.types.Object,
        poll=_is_static_mesh,
        description="The static mesh in the library",
    )
    id: IntProperty(
        name="Id", min=0, max=0xFFFF, description="Of a static mesh that the library does not hold"
    )
    intensity: IntProperty(name="Intensity", description="0 bright to 8191 dark (TR1, TR2)")
    intensity2: IntProperty(
        name="Intensity 2", description="Second intensity (TR2); unused word (TR3 to TR5)"
    )
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        description="Tint, in steps of 1/31 (TR3 to TR5)",
    )


class TombRaiderStaticMesh(PropertyGroup):
    """A static mesh of the library."""

    id: IntProperty(name="Id", min=0)
    visibility_box: IntVectorProperty(
        name="Visibility Box", size=6, description="Min x, max x, min y, max y, min z, max z"
    )
    collision_box: IntVectorProperty(
        name="Collision Box", size=6, description="Min x, max x, min y, max y, min z, max z"
    )
    flags: IntProperty(name="Flags")


class TombRaiderAnimation(PropertyGroup):
    """An animation that the file had for a model."""

    action: PointerProperty(name="Action", type=bpy.types.Action, update=_pointer_set)


class TombRaiderModel(PropertyGroup):
    """A model of the library."""

    id: IntProperty(name="Id", min=0, description="The type of the entities that show this model")
    animations: CollectionProperty(
        name="Animations",
        type=TombRaiderAnimation,
        description="Of the imported file; they come along when the model is appended to another scene",
    )


class TombRaiderEntity(PropertyGroup):
    """An entity. Where it shows a model of the library, the model decides its type."""

    type: IntProperty(name="Type", description="Of an entity without a model of its own")
    room: PointerProperty(name="Room", type=bpy.types.Object, poll=_is_room)
    intensity: IntProperty(
        name="Intensity", description="-1 for the room's light, else 0 bright to 8191 dark"
    )
    intensity2: IntProperty(name="Intensity 2", description="TR2, TR3")
    ocb: IntProperty(name="OCB", description="Object code bits (TR4, TR5)")
    flags: IntProperty(name="Flags", description="All flags of the entity as one number")
    clears_body: bit("flags", 0x80, "Clear Body", "Its body can be taken away once it is dead (TR1 to TR3)")
    is_invisible: bit("flags", 0x100, "Invisible", "Not seen before it is activated")
    activation: bits(
        "flags",
        (0x200, 0x400, 0x800, 0x1000, 0x2000),
        "Activation Mask",
        "It is active while all five are set. With all five set here, it is active from the start",
    )


class TombRaiderSprite(PropertyGroup):
    """A sprite of a room, or one picture of a sprite sequence."""

    texture: IntProperty(name="Sprite Texture", min=0)
    vertex: IntProperty(name="Vertex", default=-1, description="The room's vertex that it stood at")


class TombRaiderObject(PropertyGroup):
    kind: EnumProperty(name="Kind", items=OBJECT_KINDS)
    index: IntProperty(name="Index", default=-1, description="Where it stood in the file, -1 for new")
    room: PointerProperty(type=TombRaiderRoom)
    light: PointerProperty(type=TombRaiderLight)
    placement: PointerProperty(type=TombRaiderPlacement)
    static_mesh: PointerProperty(type=TombRaiderStaticMesh)
    model: PointerProperty(type=TombRaiderModel)
    entity: PointerProperty(type=TombRaiderEntity)
    sprite: PointerProperty(type=TombRaiderSprite)


class TombRaiderMesh(PropertyGroup):
    """What a mesh of the mesh block is beyond its vertices and faces."""

    index: IntProperty(name="Index", default=-1, description="Where it stood in the file, -1 for new")
    center: IntVectorProperty(
        name="Center", size=3, description="Of the collision sphere, in the file's units"
    )
    radius: IntProperty(name="Radius", description="Of the collision sphere, in the file's units")
    flags: IntProperty(name="Flags")


class TombRaiderBone(PropertyGroup):
    index: IntProperty(name="Index", default=-1, description="Which mesh of the model hangs on this bone")
    rest: FloatVectorProperty(
        name="Rest",
        size=4,
        default=(1, 0, 0, 0),
        description="Its rotation at rest when it was imported, from which its keys count",
    )
    imported_name: StringProperty(
        name="Imported Name",
        description="Its name when it was imported: Blender renames a bone in the current action only",
    )


class TombRaiderEvent(PropertyGroup):
    """What happens at the pose markers of one name (documentation, chapter 6.2.6)."""

    command: EnumProperty(
        name="Command",
        items=[
            ("SOUND", "Sound", "A sound is played", 5),
            ("EFFECT", "Effect", "An effect of the game happens", 6),
        ],
    )
    number: IntProperty(name="Number", min=0, max=0x3FFF, description="Of the sound or effect")
    flags: IntProperty(
        name="Flags",
        min=0,
        max=3,
        description="Sounds: 1 on land only, 2 in water only. Effects (from TR3): 1 left foot, 2 right foot",
    )


class TombRaiderAction(PropertyGroup):
    """What an animation is beyond its keys."""

    model: PointerProperty(
        name="Model",
        type=bpy.types.Object,
        update=_pointer_set,
        description="The armature that it belongs to",
    )
    index: IntProperty(name="Index", default=-1, description="Where it stood in the file, -1 for new")
    frame_rate: IntProperty(
        name="Frame Rate", default=1, min=1, max=255, description="Ticks (1/30 s) per key"
    )
    state: IntProperty(
        name="State", min=0, max=0xFFFF, description="The state that the model is in while this plays"
    )
    next_action: PointerProperty(
        name="Next Action",
        type=bpy.types.Action,
        poll=_is_of_same_model,
        update=_pointer_set,
        description="What plays after this one. Empty: this one again",
    )
    next_frame: IntProperty(
        name="Next Frame", description="Where the next action begins to play, in frames from its start"
    )
    speed: FloatProperty(name="Speed", description="Units per tick forward, as this begins")
    acceleration: FloatProperty(name="Acceleration", description="How much the speed grows per tick")
    lateral_speed: FloatProperty(
        name="Lateral Speed", description="Units per tick to the right, as this begins (TR4, TR5)"
    )
    lateral_acceleration: FloatProperty(
        name="Lateral Acceleration", description="How much the lateral speed grows per tick (TR4, TR5)"
    )
    events: CollectionProperty(
        name="Events",
        type=TombRaiderEvent,
        description="Sounds and effects; each happens wherever the action has a pose marker of its name",
    )


class TombRaiderMaterial(PropertyGroup):
    """What faces with this material are in the file."""

    kind: EnumProperty(
        name="Kind",
        items=[
            ("NONE", "Own", "A material of the user's: its image is packed into the level's pages", 0),
            ("PAGE", "Texture Page", "A texture page of the level", 1),
            ("PALETTE", "Palette", "Faces of one palette color (TR1 to TR3)", 2),
            ("MISSING", "Missing Texture", "Faces whose texture the file does not hold", 3),
        ],
    )
    page: IntProperty(name="Page", default=-1)
    attribute: IntProperty(
        name="Blending", description="0 opaque, 1 color-keyed, 2 additive", min=0, max=0xFFFF
    )
    blending: blend_mode("Blending in Game", "How the game blends faces with this material")
    double_sided: BoolProperty(
        name="Double-Sided", description="Seen from both sides (room faces, TR3 to TR5)"
    )
    bump: IntProperty(name="Bump Level", min=0, max=3, description="TR4, TR5")


IMAGE_KINDS = [
    ("NONE", "None", "Not a part of a level", 0),
    ("PAGE", "Texture Page", "A texture page of a level", 1),
    ("PALETTE", "Palette", "The palette of a level", 2),
    ("MISC", "Miscellaneous Page", "Font, sky or environment map (TR4, TR5)", 3),
]


class TombRaiderImage(PropertyGroup):
    kind: EnumProperty(name="Kind", items=IMAGE_KINDS)
    page: IntProperty(name="Page", default=-1)
    digest: StringProperty(name="Digest", description="Of the packed picture as it was imported")


class TombRaiderLevelImage(PropertyGroup):
    """One image that belongs to a level."""

    kind: EnumProperty(name="Kind", items=IMAGE_KINDS)
    page: IntProperty(name="Page", default=-1)
    image: PointerProperty(name="Image", type=bpy.types.Image, update=_pointer_set)


SUBJECTS = [
    ("STATIC_MESHES", "Static Meshes", "The library of static meshes", 1),
    ("PLACEMENTS", "Placed Static Meshes", "Static meshes placed in rooms", 2),
    ("LIGHTS", "Lights", "Lights of rooms", 4),
    ("SPRITES", "Sprites", "Sprites of rooms, and the library of sprite sequences", 8),
    ("ENTITIES", "Entities", "Entities", 16),
    ("MODELS", "Models", "The library of models", 32),
    ("ANIMATIONS", "Animations", "Animations of the models", 64),
]


class TombRaiderCollection(PropertyGroup):
    """The settings of a level, on its root collection; on others only the kind."""

    kind: EnumProperty(name="Kind", items=COLLECTION_KINDS)
    game: EnumProperty(name="Game", items=GAMES)
    scale: FloatProperty(
        name="Scale", default=DEFAULT_SCALE, min=1e-6, precision=6, description="Blender units per unit"
    )
    data_version: IntProperty(name="Data Version", description="Of what is stored in this scene")
    source: StringProperty(name="Source", description="The name of the file that it was imported from")
    target: StringProperty(
        name="Target", subtype="FILE_PATH", description="The file that it was last exported to"
    )
    imported: EnumProperty(
        name="Imported",
        items=SUBJECTS,
        options={"ENUM_FLAG"},
        description="What stands in the scene; of all else the export keeps what the file had",
    )
    model: PointerProperty(
        name="Model",
        type=bpy.types.Object,
        update=_pointer_set,
        description="The armature of a model's collection",
    )
    images: CollectionProperty(
        name="Images", type=TombRaiderLevelImage, description="Texture pages and palette"
    )


_GROUPS = (
    TombRaiderRoom,
    TombRaiderLight,
    TombRaiderPlacement,
    TombRaiderStaticMesh,
    TombRaiderAnimation,
    TombRaiderModel,
    TombRaiderEntity,
    TombRaiderSprite,
    TombRaiderObject,
    TombRaiderMesh,
    TombRaiderBone,
    TombRaiderEvent,
    TombRaiderAction,
    TombRaiderMaterial,
    TombRaiderImage,
    TombRaiderLevelImage,
    TombRaiderCollection,
)
_HOMES = {
    bpy.types.Object: TombRaiderObject,
    bpy.types.Mesh: TombRaiderMesh,
    bpy.types.Bone: TombRaiderBone,
    bpy.types.Action: TombRaiderAction,
    bpy.types.Material: TombRaiderMaterial,
    bpy.types.Image: TombRaiderImage,
    bpy.types.Collection: TombRaiderCollection,
}


def register() -> None:
    for group in _GROUPS:
        bpy.utils.register_class(group)
    for home, kind in _HOMES.items():
        home.tomb_raider = PointerProperty(type=kind)


def unregister() -> None:
    for home in _HOMES:
        del home.tomb_raider
    for group in reversed(_GROUPS):
        bpy.utils.unregister_class(group)
