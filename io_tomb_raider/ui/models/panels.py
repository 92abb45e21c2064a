"""Panels of models, on armatures and collections."""

from __future__ import annotations

from bpy.types import Context, Object, UILayout

from ...formats import Game
from ...formats.base import T
from ...scene.core import Kind, members_of
from ..base.layout.panels import (
    CollectionPanel,
    ObjectPanel,
    PropertiesPanel,
    SidebarPanel,
    fields,
    offer,
    split_columns,
)
from ..base.layout.sidebar import SELECTION
from ..base.levels import level_of, meant_level
from ..base.text.i18n import translate
from .splitting import foreign_rig

_RIGGED = frozenset({Kind.MODEL, Kind.CUTSCENE_ACTOR})  # objects with bones of a model


class OBJECT_PT_tomb_raider_model(ObjectPanel):
    bl_label = "Tomb Raider Model"
    kind = Kind.MODEL
    tools = ("add_entity", ("animate_model", "prepare_for_exchange"), "select_same_model")

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        from ...catalogue import names

        number = obj.tomb_raider.model.id
        fields(layout, obj.tomb_raider.model, "id")
        layout.prop(obj.tomb_raider.model, "fit_boxes")
        if any(each.tomb_raider.kind == Kind.SKIN for each in obj.children):
            layout.prop(obj.tomb_raider.model, "shows_skin")
        catalogue = names(game)
        far, near = catalogue.far_model(number), catalogue.near_model(number)
        if far is not None and (model := _model(obj, far)) is not None:
            layout.label(
                text=translate(T("From afar, the game shows {count}", count=model.name)), icon="LINKED"
            )
        if near is not None:
            model = _model(obj, near)
            name = catalogue.model(near) if model is None else model.name
            layout.label(text=translate(T("Shown from afar instead of {name}", name=name)), icon="LINKED")


def _model(obj: Object, number: int) -> Object | None:
    """Return the model with an id in the level of another model, or None."""
    level = level_of(obj)
    models = () if level is None else members_of(level, Kind.MODEL)
    return next((model for model in models if model.tomb_raider.model.id == number), None)


class OBJECT_PT_tomb_raider_replace(PropertiesPanel):
    """Panel of the tools that replace a model or a mesh of it, also for rigs and meshes of no level."""

    bl_label = "Tomb Raider Replace"
    bl_context = "object"
    bl_order = 1  # below the panel of the active object
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.models import armature_of_model

        if context.mode != "OBJECT" or meant_level(context) is None:
            return False
        rigs = (obj for obj in foreign_rig(context) if obj.type == "ARMATURE" or obj.find_armature())
        return armature_of_model(context.object) is not None or next(rigs, None) is not None

    def draw(self, context: Context) -> None:
        column = self.layout.column(align=True)
        offer(column, "replace_model", icon="ARMATURE_DATA")
        offer(column, "replace_mesh", icon="MESH_DATA")
        offer(column, "split_by_bones", text="Use This Imported Rig", icon="IMPORT")
        offer(column, "fit_outfit", icon="ARMATURE_DATA")
        offer(column, "make_skin", text="Make Skin", icon="MOD_SKIN")
        offer(column, "use_as_skin", text="Use as Skin", icon="IMPORT")
        offer(column, "split_skin", text="Split Skin", icon="MOD_EXPLODE")
        offer(column, "export_for_wadtool", icon="EXPORT")


class BONE_PT_tomb_raider_bone(PropertiesPanel):
    """Panel of a bone of a model: whether it is a part of the model or moves it."""

    bl_label = "Tomb Raider Bone"
    bl_context = "bone"

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        # Edit bones have no typed properties.
        return (
            getattr(context, "bone", None) is not None and obj is not None and obj.tomb_raider.kind in _RIGGED
        )

    def draw(self, context: Context) -> None:
        split_columns(self).prop(context.bone.tomb_raider, "control")


class COLLECTION_PT_tomb_raider_model(CollectionPanel):
    bl_label = "Tomb Raider Model"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and context.collection.tomb_raider.kind == Kind.MODEL

    def draw(self, context: Context) -> None:
        split_columns(self).prop(context.collection.tomb_raider, "model", text="Armature")


class VIEW3D_PT_tomb_raider_edited_model(SidebarPanel):
    """Line with the buttons that pose an opened model, and that return to the level."""

    bl_label = "Edited Model"
    bl_order = SELECTION - 2
    bl_options = {"HIDE_HEADER"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        level = meant_level(context)
        return level is not None and level.tomb_raider.level.edited is not None

    def draw(self, context: Context) -> None:
        row = self.layout.row(align=True)
        row.operator("tomb_raider.leave_model", icon="LOOP_BACK")
        if context.mode == "OBJECT":
            offer(row, "animate_model", icon="POSE_HLT")


CLASSES = (
    VIEW3D_PT_tomb_raider_edited_model,
    OBJECT_PT_tomb_raider_model,
    OBJECT_PT_tomb_raider_replace,
    BONE_PT_tomb_raider_bone,
    COLLECTION_PT_tomb_raider_model,
)
