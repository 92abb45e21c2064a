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

from ...formats.base import NEUTRAL_SHADE
from ..core.subjects import Kind
from .base.kinds import CONTEXT
from .base.pointers import is_room, light_changed, pointer_set
from .views.measures import brightness, length, place
from .views.named import by_catalogue, catalogue_of, dropped_items, named
from .views.switches import bit, bits, has_tint, own_light, tint


class TombRaiderAnimation(PropertyGroup):
    """An animation of a model."""

    action: PointerProperty(
        name="Action", type=bpy.types.Action, update=pointer_set, description="Action of the animation"
    )


def _shown_animation(group: PropertyGroup) -> int:
    """Return the index of the active action in ``bpy.data.actions``, -1 for none."""
    from ..subjects.animations.changes.layers import action_in_use

    action = action_in_use(group.id_data) if isinstance(group.id_data, Object) else None
    return -1 if action is None else bpy.data.actions.find(action.name)


def _show_animation(group: PropertyGroup, index: int) -> None:
    from ..subjects.animations.showing import show_in_range  # it needs all properties registered

    scene = bpy.context.scene
    if isinstance(group.id_data, Object) and scene is not None and 0 <= index < len(bpy.data.actions):
        show_in_range(group.id_data, bpy.data.actions[index], scene, from_start=False)


def _show_skin(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.skins.skins import show_skin

    show_skin(group.id_data)


def _hide_below_skin(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.skins.skins import show_skins_over

    if isinstance(group.id_data, bpy.types.Mesh):
        show_skins_over(group.id_data)


class TombRaiderLimb(PropertyGroup):
    """A limb that a control rig moves, by the names of its bones."""

    kind: EnumProperty(
        name="Kind",
        translation_context=CONTEXT,
        items=[
            ("LEG", "Leg", "The joint bends forward, and the end has a heel and toes"),
            ("ARM", "Arm", "The joint bends backward, as in a front leg"),
            (
                "TRUNK",
                "Trunk",
                "One bone, such as chest, neck or head, that keeps its rotation when others move",
            ),
            ("BODY", "Body", "The first bone: one control moves the whole body, a ring turns the bone alone"),
        ],
        description="Bending direction of the limb",
    )
    upper: StringProperty(name="Upper Bone", description="Thigh or upper arm, or the bone of the trunk")
    lower: StringProperty(name="Lower Bone", description="Calf or lower arm")
    end: StringProperty(name="End Bone", description="Foot or hand; the hock of a limb with a paw")
    paw: StringProperty(name="Paw", description="Paw below the hock; empty for limbs of three bones")


class TombRaiderModel(PropertyGroup):
    """A model of the library."""

    id: IntProperty(name="ID", min=0, description="Type of the entities that show this model")
    id_name: by_catalogue("id", "model", "Type", "Type of entities that show this model, by name or id")
    middle: FloatVectorProperty(
        name="Middle", size=3, subtype="XYZ", description="Point where the game samples light for the model"
    )
    fit_boxes: BoolProperty(
        name="Boxes Follow Meshes",
        description="Fit the boxes of all key frames to the meshes on export, for scaled models",
    )
    shows_skin: BoolProperty(
        name="Skin",
        default=True,
        update=_show_skin,
        description="Show the skin and hide the meshes that it replaces. Off: show the meshes of the bones",
    )
    animations: CollectionProperty(
        name="Animations",
        type=TombRaiderAnimation,
        description="Animations of the imported file, which are appended with the model",
    )
    others: CollectionProperty(
        name="Other Animations",
        type=TombRaiderAnimation,
        description="Actions that its animations refer to, but that the imported file does not contain",
    )
    limbs: CollectionProperty(name="Limbs", type=TombRaiderLimb, description="Limbs of the control rig")
    active_limb: IntProperty(name="Active Limb", min=0, description="Index of the active limb")
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
    drops: StringProperty(
        name="Item Drops", description="Items that it drops in TRX, by their types, separated by commas"
    )
    drops_name: dropped_items(
        "drops", "Item Drops", "Items that it drops in TRX, by name or number, separated by commas"
    )
    drop_number: IntProperty(
        name="Number of Drops",
        default=-1,
        min=-1,
        options={"HIDDEN"},
        description="Number of the entity in the game flow, -1 if it dropped nothing",
    )
    room: PointerProperty(
        name="Room",
        type=bpy.types.Object,
        poll=is_room,
        update=light_changed,
        description="Room of the entity",
    )
    intensity: IntProperty(
        name="Intensity",
        update=light_changed,
        description="-1 for the room's light, or 0 (bright) to 8191 (dark). TR3 to TR5: tint as a number",
    )
    intensity_measure: brightness("intensity", "Intensity", "Own light (TR1, TR2)")
    has_light: own_light(
        "intensity", NEUTRAL_SHADE, "Own Light", "Use its own brightness instead of the room's (TR1, TR2)"
    )
    has_tint: has_tint(
        "intensity",
        "Own Tint",
        "Tint meshes with vertex light instead of using the room's light (TR3 to TR5)",
    )
    tint: tint("intensity", "Tint", "Tint in steps of 1/31; half leaves the meshes unchanged (TR3 to TR5)")
    intensity2: IntProperty(name="Intensity 2", description="Second intensity (TR2, TR3)")
    ocb: IntProperty(name="OCB", description="Object code bits (TR4, TR5)")
    ocb_name: named(
        "ocb", _ocb_names, lambda _group: "OCB", "OCB", "Meaning of the object code bits for this type"
    )
    flags: IntProperty(name="All Flags", description="All flags of the entity as one number")
    clears_body: bit("flags", 0x80, "Clear Body", "The body can be removed after death (TR1 to TR3)")
    is_invisible: bit("flags", 0x100, "Invisible", "Invisible until activated")
    activation: bits(
        "flags",
        (0x200, 0x400, 0x800, 0x1000, 0x2000),
        "Activation Mask",
        "Active while all five bits are set. If all are set here, active from the start",
    )


class TombRaiderMesh(PropertyGroup):
    """The properties of a mesh of the mesh block besides its geometry."""

    index: IntProperty(name="Index", default=-1, description="Index in the imported file, -1 if new")
    origin: IntProperty(name="Origin", description="Level of origin, 0 if unknown")
    center: IntVectorProperty(
        name="Center",
        translation_context=CONTEXT,
        size=3,
        subtype="XYZ",
        description="Center of the collision sphere, in game units",
    )
    radius: IntProperty(name="Radius", description="Radius of the collision sphere, in game units")
    center_measure: place("center", "Center", "Center of the collision sphere")
    radius_measure: length("radius", "Radius", "Radius of the collision sphere")
    flags: IntProperty(name="Flags", description="All flags of the mesh as one number")
    is_hidden: BoolProperty(
        name="Hidden Below Skin",
        update=_hide_below_skin,
        description="TombEngine draws the skin in place of this mesh; without skins, it draws the mesh",
    )


class TombRaiderBone(PropertyGroup):
    index: IntProperty(name="Index", default=-1, description="Index of the bone's mesh in the model")
    rest: FloatVectorProperty(
        name="Rest",
        size=4,
        default=(1, 0, 0, 0),
        description="Imported rest rotation, to which its keys are relative",
    )
    imported_name: StringProperty(
        name="Imported Name", description="Name at import. Blender renames bones in the current action only"
    )
    control: BoolProperty(name="Control Bone", description="Part of a control rig; not exported")
    limb: IntProperty(name="Limb", default=-1, description="Number of its limb in the control rig")
    part: StringProperty(name="Part", description="Role in the control rig")


GROUPS = (
    TombRaiderAnimation,
    TombRaiderLimb,
    TombRaiderModel,
    TombRaiderEntity,
    TombRaiderMesh,
    TombRaiderBone,
)
