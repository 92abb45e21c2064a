"""Typed properties of a level's data-blocks, grouped by kind.

Every group is the property ``.tomb_raider`` of its data-block. ``index`` is the number of the object in its
file, or -1 for new objects: a hint that orders the export and finds the original record, never an identity,
since users duplicate objects.

Modules that declare properties do without deferred annotations, which Blender would compile again when it
starts. They load no converters either: callbacks import what they need.
"""

from typing import TYPE_CHECKING, Any

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
from bpy.types import PropertyGroup

from ...formats.base import lazy_exports
from ..core.blender.compat import clear_at_exit
from ..core.space import DEFAULT_SCALE, SCALES
from . import (
    actions,
    animated_textures,
    cameras,
    collision,
    cutscenes,
    engine_properties,
    findings,
    gameflow,
    images,
    level,
    models,
    rooms,
    sounds,
    texture_tiles,
    triggers,
)
from .actions import TombRaiderAction, TombRaiderChain, TombRaiderMotion
from .animated_textures import TombRaiderAnimatedTextures
from .base import texts, watching
from .base.kinds import COLLECTION_KINDS, CONTEXT, GAMES, IMPORTED, OBJECT_KINDS, TARGETS
from .base.pointers import pointer_set
from .base.texts import TombRaiderText
from .base.watching import TombRaiderWatching
from .cameras import (
    TombRaiderAIObject,
    TombRaiderCamera,
    TombRaiderCinematic,
    TombRaiderFlyby,
    TombRaiderScriptObject,
    TombRaiderSink,
)
from .collision import RECOMPUTE, TombRaiderBoxes, TombRaiderCollision, TombRaiderPiece
from .cutscenes import TombRaiderActor, TombRaiderCutscene
from .engine_properties import TombRaiderEngineProperty
from .findings import TombRaiderFinding, TombRaiderWindowManager, last_source, open_findings
from .gameflow import TombRaiderGameflow
from .images import TombRaiderImage, TombRaiderLevelImage, TombRaiderMaterial
from .level import TombRaiderAlong, TombRaiderEdit, TombRaiderLevel
from .models import TombRaiderBone, TombRaiderEntity, TombRaiderMesh, TombRaiderModel
from .rooms import (
    TombRaiderLight,
    TombRaiderLit,
    TombRaiderPlacement,
    TombRaiderPortal,
    TombRaiderRoom,
    TombRaiderSprite,
    TombRaiderStaticMesh,
)
from .sounds import TombRaiderSound, TombRaiderSounds, TombRaiderSoundSource
from .texture_tiles import TombRaiderTexturing
from .triggers import TombRaiderTrigger

if TYPE_CHECKING:
    from .animated_textures import TombRaiderTextureFrame
    from .base.kinds import CONTEXT, GAMES, camera_kinds
    from .base.pointers import pointer_set
    from .engine_properties import value_field
    from .findings import (
        BY_CHECK,
        BY_EXPORT,
        entry_of,
        level_of_entry,
        make_active,
        note_mended,
        open_findings,
    )
    from .models import TombRaiderAnimation
    from .sounds import TombRaiderSoundDetails
    from .texture_tiles import BLENDING
    from .triggers import TombRaiderTrigger, TombRaiderTriggerAction
else:
    __getattr__ = lazy_exports(__name__)


class TombRaiderObject(PropertyGroup):
    kind: EnumProperty(name="Kind", items=OBJECT_KINDS, description="Role of the object in the level")
    index: IntProperty(name="Index", default=-1, description="Index in the imported file, -1 if new")
    is_copy: BoolProperty(
        name="Copy",
        translation_context=CONTEXT,
        description="Another object has its index in the imported file",
    )
    origin: IntProperty(name="Origin", description="Level of origin, 0 if unknown")
    room: PointerProperty(type=TombRaiderRoom)
    portal: PointerProperty(type=TombRaiderPortal)
    light: PointerProperty(type=TombRaiderLight)
    lit: PointerProperty(type=TombRaiderLit)
    placement: PointerProperty(type=TombRaiderPlacement)
    static_mesh: PointerProperty(type=TombRaiderStaticMesh)
    model: PointerProperty(type=TombRaiderModel)
    entity: PointerProperty(type=TombRaiderEntity)
    properties: CollectionProperty(
        name="Properties",
        type=TombRaiderEngineProperty,
        description="Properties of the entity or model that TRX reads",
    )
    active_property: IntProperty(name="Active Property", description="Index of the active property")
    sprite: PointerProperty(type=TombRaiderSprite)
    camera: PointerProperty(type=TombRaiderCamera)
    sink: PointerProperty(type=TombRaiderSink)
    flyby: PointerProperty(type=TombRaiderFlyby)
    cinematic: PointerProperty(type=TombRaiderCinematic)
    ai_object: PointerProperty(type=TombRaiderAIObject)
    sound_source: PointerProperty(type=TombRaiderSoundSource)
    collision: PointerProperty(type=TombRaiderCollision)
    trigger: PointerProperty(type=TombRaiderTrigger)
    boxes: PointerProperty(type=TombRaiderBoxes)
    chain: PointerProperty(type=TombRaiderChain)
    actor: PointerProperty(type=TombRaiderActor)
    script: PointerProperty(type=TombRaiderScriptObject)
    # Needed by assets, which are exported without a level, under the names of the level's properties.
    game: EnumProperty(name="Game", items=GAMES, description="Game of the asset")
    sounds: PointerProperty(name="Sounds", translation_context=CONTEXT, type=TombRaiderSounds)
    animated: PointerProperty(type=TombRaiderAnimatedTextures)
    along: CollectionProperty(
        name="Dependencies", type=TombRaiderAlong, description="Objects that are added with the asset"
    )


class TombRaiderCollection(PropertyGroup):
    """The settings of a level, on its root collection; other collections have only the kind."""

    @property
    def findings(self) -> list[TombRaiderFinding]:
        """Findings of the last check, and of the exports since."""
        root: Any = self.id_data
        return open_findings(root)

    @property
    def findings_of(self) -> str:
        """Check or export that reported findings last."""
        root: Any = self.id_data
        return last_source(root)

    kind: EnumProperty(name="Kind", items=COLLECTION_KINDS, description="Role of the collection in the level")
    game: EnumProperty(name="Game", items=GAMES, description="Game of the level")
    engine: EnumProperty(
        name="Target",
        items=TARGETS,
        description="Engine that plays the level. Exports and checks apply its limits",
    )
    scale: FloatProperty(
        name="Scale",
        default=DEFAULT_SCALE,
        min=SCALES[0],
        max=SCALES[1],
        precision=6,
        description="Blender units per game unit",
    )
    origin: IntProperty(name="Origin", description="Level of origin, 0 if unknown")
    offset: FloatVectorProperty(
        name="Offset",
        subtype="TRANSLATION",
        description="Offset of the level from its place in the game. Exports remove it",
    )
    data_version: IntProperty(name="Data Version", description="Version of the stored data")
    source: StringProperty(name="Source", description="Name of the imported file")
    folder: StringProperty(name="Folder", subtype="DIR_PATH", description="Folder of the imported file")
    title: StringProperty(name="Title", description="Name of the level in the game's script")
    gameflow: PointerProperty(type=TombRaiderGameflow)
    has_trng: BoolProperty(
        name="TRNG", options={"HIDDEN"}, description="The level is for TRNG, with other actions of triggers"
    )
    slot_names: StringProperty(
        name="Slot Names",
        options={"HIDDEN"},
        description="Names of slots in the object catalog of TRX next to the level",
    )
    script: StringProperty(
        name="Script", description="Script entry of the level when the script was last read or written"
    )
    target: StringProperty(name="Target", subtype="FILE_PATH", description="File of the last export")
    imported: EnumProperty(
        name="Imported",
        items=IMPORTED,
        options={"ENUM_FLAG"},
        description="Imported parts of the level. Exports keep all others as they are in the file",
    )
    pathfinding: EnumProperty(
        name="Recompute",
        items=RECOMPUTE,
        description="When to recompute boxes, overlaps and zones for the pathfinding of enemies",
    )
    model: PointerProperty(
        name="Model", type=bpy.types.Object, update=pointer_set, description="Armature of the model"
    )
    cutscene: PointerProperty(type=TombRaiderCutscene)
    level: PointerProperty(type=TombRaiderLevel)
    known_findings: CollectionProperty(
        name="Known Findings",
        type=TombRaiderFinding,
        description="Findings from before the conversion, which are no longer reported",
    )
    mended: StringProperty(
        name="Mended", description="Findings that were fixed since the last check", options={"HIDDEN"}
    )
    edits: CollectionProperty(
        name="Edits", type=TombRaiderEdit, description="Edits that TRX makes when it loads the level"
    )
    active_edit: IntProperty(name="Edit", min=0, description="Index of the active edit")
    images: CollectionProperty(
        name="Images", type=TombRaiderLevelImage, description="Texture pages and palettes"
    )
    sounds: PointerProperty(name="Sounds", translation_context=CONTEXT, type=TombRaiderSounds)
    animated: PointerProperty(type=TombRaiderAnimatedTextures)
    water_surface: PointerProperty(name="Water Surface", type=TombRaiderPiece)


class TombRaiderScene(PropertyGroup):
    """The settings of tools, which scenes keep as Blender's own tool settings."""

    texturing: PointerProperty(type=TombRaiderTexturing)
    watching: PointerProperty(type=TombRaiderWatching)
    motion: PointerProperty(type=TombRaiderMotion)
    match_controls: BoolProperty(
        name="Match Automatically",
        description="An animation follows the controls of a rig as soon as you show it",
    )


_GROUPS: tuple[type[PropertyGroup], ...] = (
    *rooms.GROUPS,
    *cameras.GROUPS,
    *findings.GROUPS,
    *level.GROUPS,
    *models.GROUPS,
    *actions.GROUPS,
    *images.GROUPS,
    *sounds.GROUPS,
    *animated_textures.GROUPS,
    *collision.GROUPS,
    *triggers.GROUPS,
    *cutscenes.GROUPS,
    *engine_properties.GROUPS,
    *texts.GROUPS,
    *gameflow.GROUPS,
    *texture_tiles.GROUPS,
    *watching.GROUPS,
    TombRaiderObject,
    TombRaiderCollection,
    TombRaiderScene,
)
_NAME = "tomb_raider"
_HOMES = {
    bpy.types.Object: TombRaiderObject,
    bpy.types.Mesh: TombRaiderMesh,
    bpy.types.Bone: TombRaiderBone,
    bpy.types.Action: TombRaiderAction,
    bpy.types.Material: TombRaiderMaterial,
    bpy.types.Image: TombRaiderImage,
    bpy.types.Sound: TombRaiderSound,
    bpy.types.Text: TombRaiderText,
    bpy.types.Collection: TombRaiderCollection,
    bpy.types.Scene: TombRaiderScene,
    bpy.types.WindowManager: TombRaiderWindowManager,
}


_register, _unregister = bpy.utils.register_classes_factory(_GROUPS)
clear_at_exit(_GROUPS)


def register() -> None:
    _register()
    for home, kind in _HOMES.items():
        setattr(home, _NAME, PointerProperty(type=kind))


def unregister() -> None:
    for home in _HOMES:
        delattr(home, _NAME)
    _unregister()
