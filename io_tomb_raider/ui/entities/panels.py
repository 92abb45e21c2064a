"""Panels of entities and AI objects, with the fields that the level's game has."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Object, UILayout

from ...formats import Game
from ...formats.base import N_, T, joined
from ...scene.core import Kind
from ...scene.properties import value_field
from ...scene.properties.views import catalogue_in
from ..base.active import active_object
from ..base.layout.panels import (
    ObjectPanel,
    PropertiesPanel,
    Rows,
    draw_note,
    fields,
    listing,
    split_columns,
    switches,
)
from ..base.levels import level_of
from .operators import has_properties

# Meanings of the OCB of AI objects, which triggers name by their timer.
_OCB_LABELS = {
    "Lara start position": N_("OCB (Timer of End Level)"),
    "AI follow": N_("OCB (Timer of Lara Location)"),
}


class OBJECT_PT_tomb_raider_entity(ObjectPanel):
    bl_label = "Tomb Raider Entity"
    kind = Kind.ENTITY
    tools = (("edit_model", "animate_model"), "select_same_model", ("add_trigger", "select_triggers"))

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        from ...catalogue import names
        from ...scene.subjects.entities import shown_type

        entity = obj.tomb_raider.entity
        if obj.instance_collection is None:
            fields(layout, entity, "type")
        else:
            # The instanced model defines the type.
            _draw_model(layout, obj)
        draw_note(layout, names(game).note("entity", shown_type(obj)))
        layout.prop(entity, "room")
        if game.traits.has_color_light or game.traits.has_room_layers:
            fields(layout, entity, "has_tint", *(("tint",) if entity.has_tint else ()))
        else:
            fields(layout, entity, "has_light", *(("intensity",) if entity.has_light else ()))
        second_intensity = {Game.TR1: (), Game.TR2: ("intensity2",), Game.TR3: ("intensity2",)}
        if game in second_intensity:
            fields(layout, entity, *second_intensity[game])
        elif names(game).known("ocb", shown_type(obj)):
            fields(layout, entity, "ocb")
        else:
            layout.prop(entity, "ocb")
        level = level_of(obj)
        if game.traits.has_trx and level is not None and level.tomb_raider.engine == "TRX":
            layout.prop(entity, "script_name")
            row = layout.row(align=True)
            row.prop(entity, "drops_name")
            row.operator("tomb_raider.add_item_drop", text="", icon="ADD")
            _draw_relations(layout, level, shown_type(obj))
        switches(layout, entity, "activation")
        flags = ("clears_body", "is_invisible") if game.traits.clears_bodies else ("is_invisible",)
        fields(layout, entity, *flags, "flags", heading="Flags")


def _draw_relations(layout: UILayout, level: Any, slot: int) -> None:
    """Draw what belongs to an object according to the files of TRX."""
    from ...scene.subjects.level import relations_in

    others = relations_in(level.tomb_raider.gameflow.relations)[1].get(slot, ())
    if others:
        catalogue = catalogue_in(level)
        draw_note(layout, T("Belongs to {names}", names=joined(", ", map(catalogue.entity, others))))


def _draw_model(layout: UILayout, obj: Object) -> None:
    """Draw a choice among the models of the entity's level; the file may have many other collections."""
    level = level_of(obj)
    collections = () if level is None else level.children
    library = next((child for child in collections if child.tomb_raider.kind == Kind.MODELS), None)
    if library is None:
        layout.prop(obj, "instance_collection", text="Model")
    else:
        layout.prop_search(obj, "instance_collection", library, "children", text="Model")


class OBJECT_PT_tomb_raider_ai_object(ObjectPanel):
    bl_label = "Tomb Raider AI Object"
    kind = Kind.AI_OBJECT

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        from ...catalogue import names

        settings = obj.tomb_raider.ai_object
        fields(layout, settings, "type")
        draw_note(layout, names(game).note("entity", settings.type))
        layout.prop(settings, "ocb", text=_OCB_LABELS.get(names(game).entity(settings.type), "OCB"))
        layout.prop(settings, "room")
        switches(layout, settings, "activation")
        fields(layout, settings, "flags", "box")


class TOMB_RAIDER_UL_properties(Rows):
    """List of the properties of an object for TRX or TombEngine."""

    bl_idname = "TOMB_RAIDER_UL_properties"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, value_field(item), text="")


class OBJECT_PT_tomb_raider_properties(PropertiesPanel):
    bl_label = "Tomb Raider Properties"
    bl_context = "object"
    bl_order = 1  # below the panel of the active object
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_properties(context.object)

    def draw(self, context: Context) -> None:
        from ...scene.subjects.injections import possible_properties

        settings = active_object(context).tomb_raider
        side = listing(
            self.layout,
            TOMB_RAIDER_UL_properties,
            settings,
            "properties",
            "active_property",
            rows=3,
            heading="",
        )
        side.operator("tomb_raider.edit_properties", text="", icon="ADD").action = "ADD"
        side.operator("tomb_raider.edit_properties", text="", icon="REMOVE").action = "REMOVE"
        if 0 <= settings.active_property < len(settings.properties):
            item: Any = settings.properties[settings.active_property]
            column = split_columns(self)
            fields(column, item, "known_name", "type")
            column.prop(item, value_field(item), text="Value")
            known = possible_properties(active_object(context)).get(item.name)
            draw_note(self.layout, "" if known is None else known.note)
        level: Any = level_of(active_object(context))
        split_columns(self).prop(level.tomb_raider.gameflow, "catalogs")


CLASSES = (
    OBJECT_PT_tomb_raider_entity,
    OBJECT_PT_tomb_raider_ai_object,
    TOMB_RAIDER_UL_properties,
    OBJECT_PT_tomb_raider_properties,
)
