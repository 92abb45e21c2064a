"""Panels of cutscenes and their actors."""

from __future__ import annotations

from bpy.types import Context

from ...formats.base import T
from ...scene.core import Kind
from ..base.layout.panels import (
    CollectionPanel,
    PropertiesPanel,
    fields,
    number_in_file,
    offer,
    split_columns,
)
from ..base.text.i18n import translate


class COLLECTION_PT_tomb_raider_cutscene(CollectionPanel):
    bl_label = "Tomb Raider Cutscene"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and context.collection.tomb_raider.kind == Kind.CUTSCENE

    def draw(self, context: Context) -> None:
        collection = context.collection
        settings = collection.tomb_raider.cutscene
        column = split_columns(self)
        if settings.frames:
            column.label(text=translate(T("{frames} frames when it was imported", frames=settings.frames)))
        else:
            column.label(text="Made in Blender")
        fields(column, settings, "number", "audio_track", "quarter_turns")
        column.separator()
        column.operator("tomb_raider.cut_to_camera", icon="OUTLINER_OB_CAMERA")
        column.operator("tomb_raider.set_cutscene_sound", icon="SOUND")
        button = column.operator("export_scene.tomb_raider_cutscenes", icon="EXPORT")
        button.collection = collection.name
        column.operator("tomb_raider.add_actors", icon="ADD").collection = collection.name


class OBJECT_PT_tomb_raider_actor(PropertiesPanel):
    bl_label = "Tomb Raider Actor"
    bl_context = "object"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.tomb_raider.kind == Kind.CUTSCENE_ACTOR

    def draw(self, context: Context) -> None:
        obj = context.object
        actor = obj.tomb_raider.actor
        column = split_columns(self)
        number_in_file(column, obj.tomb_raider.index)
        column.prop(actor, "model")
        if actor.model is None:
            fields(column, actor, "slot")
        offer(column, "animate_model", icon="POSE_HLT")
        if actor.model is not None:
            column.operator("tomb_raider.add_actor_animation", icon="NLA_PUSHDOWN")


class OBJECT_PT_tomb_raider_shots(PropertiesPanel):
    bl_label = "Tomb Raider Shots"
    bl_context = "object"
    bl_order = 1

    @classmethod
    def poll(cls, context: Context) -> bool:
        kinds = (Kind.CUTSCENE_ACTOR, Kind.CUTSCENE_CAMERA)
        return context.object is not None and context.object.tomb_raider.kind in kinds

    def draw(self, context: Context) -> None:
        column = split_columns(self)
        column.operator("tomb_raider.cut_to_camera", icon="OUTLINER_OB_CAMERA")
        column.operator("tomb_raider.set_cutscene_sound", icon="SOUND")


CLASSES = (COLLECTION_PT_tomb_raider_cutscene, OBJECT_PT_tomb_raider_actor, OBJECT_PT_tomb_raider_shots)
