"""Panels of materials of levels."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Material, Object, UILayout

from ...formats import Game
from ...formats.base import T, as_message
from ...scene.core import is_for_trx
from ..base.layout.panels import PropertiesPanel, fields, split_columns
from ..base.levels import game_of, level_of
from ..base.text.i18n import translate
from .operators import TEXTURED


class MATERIAL_PT_tomb_raider(PropertiesPanel):
    bl_label = "Tomb Raider Material"
    bl_context = "material"

    @classmethod
    def poll(cls, context: Context) -> bool:
        material = getattr(context, "material", None)
        if material is None:
            return False
        return material.tomb_raider.kind != "NONE" or level_of(context.object) is not None

    def draw(self, context: Context) -> None:
        from ...formats.levels.textures import most_blending
        from ...scene.subjects.textures import is_drawn_as_level, user_image

        material = context.material
        if material is None:
            return
        settings: Any = material.tomb_raider
        level = level_of(context.object)
        # Without a level, the material may be for any game.
        game = Game.TR5 if level is None else game_of(level)
        column = split_columns(self)
        kind = settings.bl_rna.properties["kind"].enum_items[settings.kind]
        page = f" {settings.page}" if settings.kind == "PAGE" else ""
        is_own = settings.kind == "NONE"
        text = T("{kind}{page}", kind=as_message(kind.name), page=page)
        column.label(text=translate(T("Packed into the level's pages") if is_own else text))
        if settings.kind == "PALETTE":
            return
        if is_own:
            fields(column, settings, "large")
        column.prop(settings, "blending")
        if settings.blending == "OTHER":
            column.prop(settings, "attribute", text="Number")
        trx = level is not None and is_for_trx(level)
        if settings.attribute > most_blending(game, trx=trx):
            column.label(text="Not supported by this game", icon="ERROR")
        if game.traits.has_double_sided_faces:
            fields(column, settings, "double_sided")
        image: Any = user_image(material) if is_own else None
        if game.traits.has_bump and (settings.kind == "PAGE" or image is not None):
            fields(column, settings, "bump")
        if game.traits.has_bump and image is not None:
            column.prop(image.tomb_raider, "heights")
        if level is not None and is_own and not is_drawn_as_level(material):
            _draw_other_light(column, 1, material.name)
        if settings.animation and level is not None:
            groups = level.tomb_raider.animated.groups
            name = next((group.name for group in groups if group.uid == settings.animation), None)
            text = T("Plays {name}", name=name) if name else T("Its animated texture was removed")
            column.label(text=translate(text), icon="PLAY")


def _draw_other_light(layout: UILayout, count: int, name: str = "") -> None:
    """Draw a note that the level does not light some materials, and a button that changes this."""
    box = layout.column()
    box.label(text=translate(T("Not in the level's light: {count}", count=count)), icon="INFO")
    box.operator("tomb_raider.make_level_material", icon="SHADING_RENDERED").material = name


class OBJECT_PT_tomb_raider_own_materials(PropertiesPanel):
    """Panel of a level's object with materials that the level does not light."""

    bl_label = "Tomb Raider Own Materials"
    bl_context = "object"

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        return obj is not None and bool(_in_other_light(obj)) and level_of(obj) is not None

    def draw(self, context: Context) -> None:
        obj = context.object
        if obj is not None and self.layout is not None:
            _draw_other_light(self.layout, len(_in_other_light(obj)))


def _in_other_light(obj: Object) -> list[Material]:
    from ...scene.subjects.textures import materials_in_other_light

    return materials_in_other_light([obj]) if obj.tomb_raider.kind in TEXTURED else []


CLASSES = (MATERIAL_PT_tomb_raider, OBJECT_PT_tomb_raider_own_materials)
