"""Panels of static meshes in the library and in rooms."""

from __future__ import annotations

from bpy.types import Object, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, box, fields


class OBJECT_PT_tomb_raider_placement(ObjectPanel):
    bl_label = "Tomb Raider Static Mesh in a Room"
    kind = Kind.PLACEMENT

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        placement = obj.tomb_raider.placement
        layout.prop(placement, "static_mesh")
        if placement.static_mesh is None:
            fields(layout, placement, "id")
        shades = {Game.TR1: ("intensity",), Game.TR2: ("intensity", "intensity2")}
        fields(layout, placement, *shades.get(game, ("color",)))


class OBJECT_PT_tomb_raider_static_mesh(ObjectPanel):
    bl_label = "Tomb Raider Static Mesh"
    kind = Kind.STATIC_MESH

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        settings = obj.tomb_raider.static_mesh
        fields(layout, settings, "id")
        layout.prop(settings, "has_collision")
        switches = ("is_drawn",) if game.traits.has_static_mesh_flags else ()
        fields(layout, settings, *switches, "flags", heading="Flags")
        box(layout, settings, "visibility_box_measure")
        box(layout, settings, "collision_box_measure")
        layout.operator("tomb_raider.fit_boxes", icon="SHADING_BBOX")


CLASSES = (OBJECT_PT_tomb_raider_placement, OBJECT_PT_tomb_raider_static_mesh)
