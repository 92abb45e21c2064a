"""What faces with a material are in the game, on the material."""

from __future__ import annotations

from bpy.types import Context, Panel

from ...formats import Game
from ..base.levels import game_of, level_of
from ..base.panels import fields, split_columns
from ..base.told import told


class MATERIAL_PT_tomb_raider(Panel):
    bl_label = "Tomb Raider Material"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "material"

    @classmethod
    def poll(cls, context: Context) -> bool:
        material = getattr(context, "material", None)
        if material is None:
            return False
        return material.tomb_raider.kind != "NONE" or level_of(context.object) is not None

    def draw(self, context: Context) -> None:
        settings, level = context.material.tomb_raider, level_of(context.object)
        # A material that no object of a level shows may be for any game.
        game = Game.TR5 if level is None else game_of(level)
        column = split_columns(self)
        kind = settings.bl_rna.properties["kind"].enum_items[settings.kind]
        page = f" {settings.page}" if settings.kind == "PAGE" else ""
        own = settings.kind == "NONE"
        column.label(text=told("Packed into the level's pages" if own else f"{kind.name}{page}"))
        if settings.kind == "PALETTE":
            return
        if own:
            fields(column, settings, "large")
        column.prop(settings, "blending")
        if settings.blending == "OTHER":
            column.prop(settings, "attribute", text="Number")
        if game.traits.has_double_sided_faces:
            fields(column, settings, "double_sided")
        if game.traits.has_bump and settings.kind == "PAGE":
            fields(column, settings, "bump")
        if settings.animation and level is not None:
            groups = level.tomb_raider.animated.groups
            name = next((group.name for group in groups if group.uid == settings.animation), None)
            text = f"Plays {name}" if name else "Its animated texture was removed"
            column.label(text=told(text), icon="PLAY")


CLASSES = (MATERIAL_PT_tomb_raider,)
