"""Panels of cameras, sinks, flyby cameras and cutscene cameras."""

from __future__ import annotations

from bpy.types import Object, UILayout

from ...formats import Game
from ...formats.base import flyby_game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, fields

# Flags of flyby cameras, grouped by purpose; some differ in meaning between games.
_FLIGHT = ("cuts_in", "loops", "cuts_out", "locks_view", "follows_lara", "looks_at_lara")
_POINT = {
    Game.TR4: ("looks_at_start", "tracks_entity", "cuts", "stops"),
    Game.TR5: ("hides_lara", "vignette", "cuts", "shakes", "fades_in", "fades_out"),
}
_CONTROL = ("locks_lara", "unlocks_lara", "triggers", "is_one_shot")


class OBJECT_PT_tomb_raider_camera(ObjectPanel):
    bl_label = "Tomb Raider Camera"
    kind = Kind.CAMERA
    tools = (("add_trigger", "select_triggers"),)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        camera = obj.tomb_raider.camera
        layout.prop(camera, "room")
        flags = ("is_persistent", *(("is_sniper",) if game.traits.has_sniper_cameras else ()))
        fields(layout, camera, *flags, "flags", heading="Flags")


class OBJECT_PT_tomb_raider_sink(ObjectPanel):
    bl_label = "Tomb Raider Sink"
    kind = Kind.SINK
    tools = (("add_trigger", "select_triggers"),)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        fields(layout, obj.tomb_raider.sink, "strength", "box")


class OBJECT_PT_tomb_raider_flyby(ObjectPanel):
    bl_label = "Tomb Raider Flyby Camera"
    kind = Kind.FLYBY
    tools = ("add_trigger",)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        flyby, game = obj.tomb_raider.flyby, flyby_game(game)
        layout.operator("tomb_raider.preview_flyby", icon="PLAY")
        fields(layout, flyby, "sequence", "number")
        fields(layout, flyby, "speed", "distance")
        layout.prop(flyby, "room")
        if flyby.cuts:
            layout.prop(flyby, "cut_to")
        elif flyby.tracks_entity and game.traits.has_flyby_tracking:
            layout.prop(flyby, "tracks")
        timer = layout.column()
        pointed = flyby.cut_to if flyby.cuts else flyby.tracks if game.traits.has_flyby_tracking else None
        timer.active = pointed is None or not (flyby.cuts or flyby.tracks_entity)
        timer.prop(flyby, "timer")
        fields(layout, flyby, *_FLIGHT, heading="Sequence")
        fields(layout, flyby, *_POINT.get(game, ()), heading="Here")
        fields(layout, flyby, *_CONTROL, "flags", heading="Control")


class OBJECT_PT_tomb_raider_cinematic(ObjectPanel):
    bl_label = "Tomb Raider Cutscene Camera"
    kind = Kind.CINEMATIC

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        layout.operator("tomb_raider.watch_cutscene", icon="PLAY")
        layout.operator("tomb_raider.cut_to_camera", icon="OUTLINER_OB_CAMERA")
        cinematic = obj.tomb_raider.cinematic
        layout.prop(cinematic, "target")
        row = layout.row()
        row.use_property_decorate = True  # the roll is animated
        row.prop(cinematic, "roll")


CLASSES = (
    OBJECT_PT_tomb_raider_camera,
    OBJECT_PT_tomb_raider_sink,
    OBJECT_PT_tomb_raider_flyby,
    OBJECT_PT_tomb_raider_cinematic,
)
