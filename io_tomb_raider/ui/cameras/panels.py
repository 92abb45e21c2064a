"""What cameras, sinks, flyby cameras and AI objects are in the game, and the settings of a level."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Object, Panel, UILayout

from ...catalogue import names
from ...formats import Game
from ..base.levels import game_of
from ..base.panels import fields, split_columns, switches
from ..entities.panels import ObjectPanel

# Switches of flyby cameras, by what they are about; some stand for other things in another game.
_FLIGHT = ("cuts_in", "loops", "cuts_out", "locks_view", "follows_lara", "looks_at_lara")
_POINT = {
    Game.TR4: ("looks_at_start", "tracks_entity", "cuts", "stops"),
    Game.TR5: ("hides_lara", "vignette", "cuts", "shakes", "fades_in", "fades_out"),
}
_CONTROL = ("locks_lara", "unlocks_lara", "triggers", "is_one_shot")


class OBJECT_PT_tomb_raider_camera(ObjectPanel):
    bl_label = "Tomb Raider Camera"
    kind = "CAMERA"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        camera = thing.tomb_raider.camera
        layout.prop(camera, "room")
        flags = ("is_persistent", *(("is_sniper",) if game is Game.TR5 else ()))
        fields(layout, camera, *flags, "flags", heading="Flags")


class OBJECT_PT_tomb_raider_sink(ObjectPanel):
    bl_label = "Tomb Raider Sink"
    kind = "SINK"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        fields(layout, thing.tomb_raider.sink, "strength", "box")


class OBJECT_PT_tomb_raider_flyby(ObjectPanel):
    bl_label = "Tomb Raider Flyby Camera"
    kind = "FLYBY"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        flyby = thing.tomb_raider.flyby
        layout.operator("tomb_raider.preview_flyby", icon="PLAY")
        fields(layout, flyby, "sequence", "number")
        fields(layout, flyby, "speed", "distance")
        layout.prop(flyby, "room")
        if flyby.cuts:
            layout.prop(flyby, "cut_to")
        elif flyby.tracks_entity and game is Game.TR4:
            layout.prop(flyby, "tracks")
        timer = layout.column()
        pointed = flyby.cut_to if flyby.cuts else flyby.tracks if game is Game.TR4 else None
        timer.active = pointed is None or not (flyby.cuts or flyby.tracks_entity)
        timer.prop(flyby, "timer")
        fields(layout, flyby, *_FLIGHT, heading="Sequence")
        fields(layout, flyby, *_POINT.get(game, ()), heading="Here")
        fields(layout, flyby, *_CONTROL, "flags", heading="Control")


class OBJECT_PT_tomb_raider_cinematic(ObjectPanel):
    bl_label = "Tomb Raider Cutscene Camera"
    kind = "CINEMATIC"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        layout.operator("tomb_raider.watch_cutscene", icon="PLAY")
        cinematic = thing.tomb_raider.cinematic
        layout.prop(cinematic, "target")
        row = layout.row()
        row.use_property_decorate = True  # it is animated
        row.prop(cinematic, "roll")


class OBJECT_PT_tomb_raider_ai_object(ObjectPanel):
    bl_label = "Tomb Raider AI Object"
    kind = "AI_OBJECT"

    def draw_fields(self, layout: UILayout, thing: Object, game: Game) -> None:
        settings = thing.tomb_raider.ai_object
        layout.label(text=names(game).entity(settings.type))
        fields(layout, settings, "type", "ocb")
        layout.prop(settings, "room")
        switches(layout, settings, "activation")
        fields(layout, settings, "flags", "box")


class COLLECTION_PT_tomb_raider_settings(Panel):
    bl_label = "Settings"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"
    bl_parent_id = "COLLECTION_PT_tomb_raider_level"

    def draw(self, context: Context) -> None:
        level: Any = context.collection
        settings, game = level.tomb_raider.level, game_of(level)
        column = split_columns(self)
        if game is Game.TR5:
            fields(column, settings, "lara", "lara_type")
            fields(column, settings, "weather", "weather_type")
        column.prop(settings, "number")
        if settings.demo_frames:
            text = f"Demo of {settings.demo_frames} frames, {settings.demo_frames / 30:.0f} seconds"
            column.label(text=text, icon="PLAY")


CLASSES = (
    OBJECT_PT_tomb_raider_camera,
    OBJECT_PT_tomb_raider_sink,
    OBJECT_PT_tomb_raider_flyby,
    OBJECT_PT_tomb_raider_cinematic,
    OBJECT_PT_tomb_raider_ai_object,
    COLLECTION_PT_tomb_raider_settings,
)
