"""Properties of models, their meshes and bones, and entities."""

from collections.abc import Mapping

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ...formats.base.colors import NEUTRAL_SHADE
from ..core.subjects import Kind
from .kinds import CONTEXT
from .pointers import is_room, light_changed, pointer_set
from .views.measures import brightness, length, place
from .views.named import by_catalogue, catalogue_of, named
from .views.switches import bit, bits, has_tint, own_light, tint


class TombRaiderAnimation(PropertyGroup):
    """An animation of a model."""

    action: PointerProperty(
        name="Action", type=bpy.types.Action, update=pointer_set, description="Action of the animation"
    )


def _shown_animation(group: PropertyGroup) -> int:
    """Return the index of the active action in ``bpy.data.actions``, -1 for none."""
    data = group.id_data.animation_data
    return bpy.data.actions.find(data.action.name) if data is not None and data.action is not None else -1


def _show_animation(group: PropertyGroup, place: int) -> None:
    from ..subjects.animations.showing import show_in_range  # it needs all properties registered

    scene = bpy.context.scene
    if isinstance(group.id_data, Object) and scene is not None and 0 <= place < len(bpy.data.actions):
        show_in_range(group.id_data, bpy.data.actions[place], scene, from_start=False)


class TombRaiderLimb(PropertyGroup):
    """A limb that a control rig moves, by the names of its bones."""

    kind: EnumProperty(
        name="Kind",
        translation_context=CONTEXT,
        items=[
            ("LEG", "Leg", "Its joint bends forward, and its end has a heel and toes"),
            ("ARM", "Arm", "Its joint bends backward, as that of a front leg"),
        ],
        description="Which way the limb bends",
    )
    upper: StringProperty(name="Upper Bone", description="Thigh or upper arm")
    lower: StringProperty(name="Lower Bone", description="Calf or lower arm")
    end: StringProperty(name="End Bone", description="Foot or hand; the hock of a limb with a paw")
    paw: StringProperty(name="Paw", description="Paw below the hock; empty for limbs of three bones")


class TombRaiderModel(PropertyGroup):
    """A model of the library."""

    id: IntProperty(name="ID", min=0, description="Type of the entities that show this model")
    id_name: by_catalogue("id", "model", "Type", "Type of entities that show this model, by name or id")
    middle: FloatVectorProperty(
        name="Middle", size=3, subtype="XYZ", description="Where the game looks for light on the model"
    )
    fit_boxes: BoolProperty(
        name="Boxes Follow Meshes",
        description="Exports fit the boxes of all key frames to the meshes, for models that you have scaled",
    )
    animations: CollectionProperty(
        name="Animations",
        type=TombRaiderAnimation,
        description="Animations of the imported file, which come along when the model is appended elsewhere",
    )
    others: CollectionProperty(
        name="Other Animations",
        type=TombRaiderAnimation,
        description="Actions that its animations lead to, and that the imported file had not for it",
    )
    limbs: CollectionProperty(
        name="Limbs", type=TombRaiderLimb, description="Limbs that a control rig of the model moves"
    )
    active_limb: IntProperty(name="Active Limb", min=0, description="Place of the active limb in the list")
    shown_animation: IntProperty(
        name="Shown Animation",
        get=_shown_animation,
        set=_show_animation,
        description="Animation that the model shows",
    )


def _show_type(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.entities.shown import show_type  # it needs all properties registered

    obj = group.id_data
    if isinstance(obj, Object) and obj.tomb_raider.kind == Kind.ENTITY:
        show_type(obj)


def _ocb_names(group: PropertyGroup) -> Mapping[int, str]:
    from ..subjects.entities.shown import shown_type

    return catalogue_of(group).known("ocb", shown_type(group.id_data))


class TombRaiderEntity(PropertyGroup):
    """An entity. Its model in the library, if any, determines its type."""

    type: IntProperty(
        name="Type", description="Type of an entity without a model of its own", update=_show_type
    )
    type_name: by_catalogue("type", "entity", "Type", "Type of an entity without a model, by name or number")
    script_name: StringProperty(
        name="Script Name", description="Name by which scripts of TRX find the entity (TR1 to TR3)"
    )
    room: PointerProperty(
        name="Room",
        type=bpy.types.Object,
        poll=is_room,
        update=light_changed,
        description="Room that the entity is in",
    )
    intensity: IntProperty(
        name="Intensity",
        update=light_changed,
        description="Light: -1 for the room's, else 0 bright to 8191 dark. TR3 to TR5: the tint as a number",
    )
    intensity_measure: brightness("intensity", "Intensity", "Light of its own (TR1, TR2)")
    has_light: own_light(
        "intensity", NEUTRAL_SHADE, "Own Light", "It has a brightness of its own, not the room's (TR1, TR2)"
    )
    has_tint: has_tint(
        "intensity",
        "Own Tint",
        "Its meshes with light have a tint, not the light of the room (TR3 to TR5)",
    )
    tint: tint("intensity", "Tint", "In steps of 1/31; half leaves the meshes as they are (TR3 to TR5)")
    intensity2: IntProperty(name="Intensity 2", description="Second intensity (TR2, TR3)")
    ocb: IntProperty(name="OCB", description="Object code bits (TR4, TR5)")
    ocb_name: named(
        "ocb", _ocb_names, lambda _group: "OCB", "OCB", "What the object code bits mean for its kind"
    )
    flags: IntProperty(name="All Flags", description="All flags of the entity as one number")
    clears_body: bit("flags", 0x80, "Clear Body", "The body can be taken away once it is dead (TR1 to TR3)")
    is_invisible: bit("flags", 0x100, "Invisible", "Not seen before it is activated")
    activation: bits(
        "flags",
        (0x200, 0x400, 0x800, 0x1000, 0x2000),
        "Activation Mask",
        "It is active while all five are set. With all five set here, it is active from the start",
    )


class TombRaiderMesh(PropertyGroup):
    """The properties of a mesh of the mesh block besides its geometry."""

    index: IntProperty(name="Index", default=-1, description="Place in the imported file, -1 if it is new")
    origin: IntProperty(name="Origin", description="The level that it comes from, 0 if that is unknown")
    center: IntVectorProperty(
        name="Center",
        translation_context=CONTEXT,
        size=3,
        subtype="XYZ",
        description="Center of the collision sphere, in the file's units",
    )
    radius: IntProperty(name="Radius", description="Radius of the collision sphere, in the file's units")
    center_measure: place("center", "Center", "Center of the collision sphere")
    radius_measure: length("radius", "Radius", "Radius of the collision sphere")
    flags: IntProperty(name="Flags", description="All flags of the mesh as one number")


class TombRaiderBone(PropertyGroup):
    index: IntProperty(name="Index", default=-1, description="Place of the bone's mesh in the model")
    rest: FloatVectorProperty(
        name="Rest",
        size=4,
        default=(1, 0, 0, 0),
        description="Rotation at rest when it was imported, from which its keys count",
    )
    imported_name: StringProperty(
        name="Imported Name",
        description="Name when it was imported: Blender renames a bone in the current action only",
    )
    control: BoolProperty(
        name="Control Bone",
        description="It belongs to a control rig that moves the model, and is not written to the level",
    )
    limb: IntProperty(
        name="Limb", default=-1, description="Number of the limb that it belongs to in the control rig"
    )
    part: StringProperty(name="Part", description="Part that it has in the control rig")


GROUPS = (
    TombRaiderAnimation,
    TombRaiderLimb,
    TombRaiderModel,
    TombRaiderEntity,
    TombRaiderMesh,
    TombRaiderBone,
)
