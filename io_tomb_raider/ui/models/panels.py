"""What models are in the game, on their armatures and collections."""

from __future__ import annotations

from bpy.types import Context, Object, Panel, UILayout

from ...catalogue import names
from ...formats import Game
from ..base.panels import ObjectPanel, split_columns


class OBJECT_PT_tomb_raider_model(ObjectPanel):
    bl_label = "Tomb Raider Model"
    kind = "MODEL"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        layout.label(text=names(game).model(thing.tomb_raider.model.id))
        layout.prop(thing.tomb_raider.model, "id")


class COLLECTION_PT_tomb_raider_model(Panel):
    bl_label = "Tomb Raider Model"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and context.collection.tomb_raider.kind == "MODEL"

    def draw(self, context: Context) -> None:
        split_columns(self).prop(context.collection.tomb_raider, "model", text="Armature")


CLASSES = (OBJECT_PT_tomb_raider_model, COLLECTION_PT_tomb_raider_model)
