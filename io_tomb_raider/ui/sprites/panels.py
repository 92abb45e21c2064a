"""Panels of sprites in rooms and in sequences."""

from __future__ import annotations

from bpy.types import Object, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, fields


class OBJECT_PT_tomb_raider_sprite(ObjectPanel):
    bl_label = "Tomb Raider Sprite"
    kind = Kind.SPRITE

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        fields(layout, obj.tomb_raider.sprite, "texture")


class OBJECT_PT_tomb_raider_sprite_texture(ObjectPanel):
    bl_label = "Tomb Raider Sprite Texture"
    kind = Kind.SPRITE_TEXTURE

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        sprite = obj.tomb_raider.sprite
        fields(layout, sprite, "sequence", "place")
        if sprite.sequence < 0:
            layout.label(text="In no sequence")


CLASSES = (OBJECT_PT_tomb_raider_sprite, OBJECT_PT_tomb_raider_sprite_texture)
