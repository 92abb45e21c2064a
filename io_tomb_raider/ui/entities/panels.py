"""What lights, static meshes, models, entities and sprites are in the game, on their objects.

Only fields that the level's game has are shown.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Object, Panel, UILayout

from ...catalogue import names
from ...formats import Game
from ...scene.lights.values import FOG, POINT, SHADOW, SPOT, SUN, decode_light, kind_of, new_light
from ..base.levels import game_of, level_of
from ..base.panels import box, fields, number_in_file, split_columns, switches

_LIGHT_FIELDS = (
    ("type",),
    ("color", "intensity", "intensity2"),
    ("falloff", "falloff2"),
    ("inner", "outer", "length", "cutoff"),
    ("inner_angle", "outer_angle", "range"),
    ("density",),
    ("shadow",),
    ("direction",),
)
_LIGHT_NAMES = {
    POINT: "Light Bulb",
    SUN: "Sun",
    SPOT: "Spot Light",
    SHADOW: "Shadow",
    FOG: "Fog Bulb",
}


class ObjectPanel(Panel):
    """A panel for objects of one kind."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"
    kind = ""

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.tomb_raider.kind == cls.kind

    def draw(self, context: Context) -> None:
        thing: Any = context.object
        level = level_of(thing)
        column = split_columns(self)
        if level is None:
            column.label(text="It belongs to no level, so it is not exported", icon="ERROR")
            return
        number_in_file(column, thing.tomb_raider.index)
        self.draw_fields(column, thing, game_of(level))

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        """Show the fields of one kind of thing."""
        raise NotImplementedError


class OBJECT_PT_tomb_raider_light(ObjectPanel):
    bl_label = "Tomb Raider Light"
    kind = "LIGHT"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        light = thing.tomb_raider.light
        kind = kind_of(game, {"type": light.type})
        layout.label(text=_LIGHT_NAMES[kind])
        known = {*decode_light(new_light(game, kind))} | ({"density"} if kind == FOG else set())
        for group in _LIGHT_FIELDS:
            shown = [name for name in group if name in known]
            if shown:
                fields(layout, light, *shown)


class OBJECT_PT_tomb_raider_placement(ObjectPanel):
    bl_label = "Tomb Raider Static Mesh in a Room"
    kind = "PLACEMENT"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        placement = thing.tomb_raider.placement
        layout.prop(placement, "static_mesh")
        if placement.static_mesh is None:
            layout.prop(placement, "id")
        shades = {Game.TR1: ("intensity",), Game.TR2: ("intensity", "intensity2")}
        fields(layout, placement, *shades.get(game, ("color",)))


class OBJECT_PT_tomb_raider_static_mesh(ObjectPanel):
    bl_label = "Tomb Raider Static Mesh"
    kind = "STATIC_MESH"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        settings = thing.tomb_raider.static_mesh
        layout.label(text=names(game).static(settings.id))
        fields(layout, settings, "id", "flags")
        box(layout, settings, "visibility_box")
        box(layout, settings, "collision_box")


class OBJECT_PT_tomb_raider_model(ObjectPanel):
    bl_label = "Tomb Raider Model"
    kind = "MODEL"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        layout.label(text=names(game).model(thing.tomb_raider.model.id))
        layout.prop(thing.tomb_raider.model, "id")


class OBJECT_PT_tomb_raider_entity(ObjectPanel):
    bl_label = "Tomb Raider Entity"
    kind = "ENTITY"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        entity = thing.tomb_raider.entity
        if thing.instance_collection is None:
            layout.label(text=names(game).entity(entity.type))
            layout.prop(entity, "type")
        else:
            # The model that it shows decides what it is.
            layout.prop(thing, "instance_collection", text="Model")
        layout.prop(entity, "room")
        own = {Game.TR1: (), Game.TR2: ("intensity2",), Game.TR3: ("intensity2",)}
        fields(layout, entity, "intensity", *own.get(game, ("ocb",)))
        switches(layout, entity, "activation")
        flags = ("clears_body", "is_invisible") if game <= Game.TR3 else ("is_invisible",)
        fields(layout, entity, *flags, "flags", heading="Flags")


class OBJECT_PT_tomb_raider_sprite(ObjectPanel):
    bl_label = "Tomb Raider Sprite"
    kind = "SPRITE"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        fields(layout, thing.tomb_raider.sprite, "texture")


class OBJECT_PT_tomb_raider_sprite_texture(ObjectPanel):
    bl_label = "Tomb Raider Sprite Texture"
    kind = "SPRITE_TEXTURE"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        sprite = thing.tomb_raider.sprite
        fields(layout, sprite, "sequence", "place")
        layout.label(text=names(game).sprite(sprite.sequence) if sprite.sequence >= 0 else "In no sequence")


CLASSES = (
    OBJECT_PT_tomb_raider_light,
    OBJECT_PT_tomb_raider_placement,
    OBJECT_PT_tomb_raider_static_mesh,
    OBJECT_PT_tomb_raider_model,
    OBJECT_PT_tomb_raider_entity,
    OBJECT_PT_tomb_raider_sprite,
    OBJECT_PT_tomb_raider_sprite_texture,
)
