"""Panel of lights, with the fields that the level's game has."""

from __future__ import annotations

from bpy.types import Object, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, fields, measured

_LIGHT_FIELDS = (
    ("type",),
    ("color", "intensity", "intensity2"),
    ("falloff", "falloff2"),
    ("inner", "outer", "length", "cutoff"),
    ("range",),
    ("density",),
    ("shadow",),
    ("direction",),
)
# Fields that the engines of TR4 and TR5 do not use, by kind. Cones set the angles of TR5's spots, too.
_UNUSED = {
    "POINT": {"length", "cutoff", "range", "direction", "shadow"},
    "SPOT": {"shadow"},
    "SUN": {"inner", "outer", "length", "cutoff", "range", "shadow"},
    "SHADOW": {"length", "cutoff", "range", "direction"},
    "FOG": {"color", "intensity", "inner", "length", "cutoff", "direction"},
}


class OBJECT_PT_tomb_raider_light(ObjectPanel):
    bl_label = "Tomb Raider Light"
    kind = Kind.LIGHT
    tools = ("bake_light",)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        from ...formats.levels.lights import FOG, SPOT, decode_light, kind_of, new_light

        light = obj.tomb_raider.light
        kind = kind_of(game, {"type": light.type})
        if not game.traits.has_light_types:
            layout.label(text="Light Bulb")
        known = {*decode_light(new_light(game, kind))}
        if "inner" in known:  # TR4 and TR5
            known -= _UNUSED.get(kind, set())
        if kind == FOG and "density" not in known:
            layout.prop(light, "color", index=0, text="Density")  # TR4 takes the red byte
        for group in _LIGHT_FIELDS:
            shown = [name for name in group if name in known]
            if shown == ["type"]:
                shown = ["light_type", *(shown if light.light_type == "OTHER" else ())]
            if kind == SPOT and "inner" in shown:
                for name in ("inner", "outer"):
                    measured(layout, light, f"{name}_cone", name)
                shown = [name for name in shown if name not in ("inner", "outer")]
            if shown:
                fields(layout, light, *shown)


CLASSES = (OBJECT_PT_tomb_raider_light,)
