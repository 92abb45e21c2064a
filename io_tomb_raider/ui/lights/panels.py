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
        available = {*decode_light(new_light(game, kind))}
        if "inner" in available:  # TR4 and TR5
            available -= _UNUSED.get(kind, set())
        if kind == FOG and "density" not in available:
            layout.prop(light, "color", index=0, text="Density")  # TR4 takes the red byte
        for group in _LIGHT_FIELDS:
            names = [name for name in group if name in available]
            if names == ["type"]:
                names = ["light_type", *(names if light.light_type == "OTHER" else ())]
            if kind == SPOT and "inner" in names:
                for name in ("inner", "outer"):
                    measured(layout, light, f"{name}_cone", name)
                names = [name for name in names if name not in ("inner", "outer")]
            if names:
                fields(layout, light, *names)


CLASSES = (OBJECT_PT_tomb_raider_light,)
