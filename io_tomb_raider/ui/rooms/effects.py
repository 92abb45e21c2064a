"""Effects of room vertices: operators and panel."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Context, Mesh, Object, UILayout

from ...formats import Game
from ...formats.base import T
from ...scene.core import Kind, members_of
from ..base.conditions import condition
from ..base.layout.panels import SidebarPanel, split_columns
from ..base.layout.sidebar import TOOLS, has_selection
from ..base.levels import game_of, level_of
from ..base.operators import EditingTool, LevelTool
from ..base.reports import Outcome, report_line
from ..base.text.i18n import translate

_EFFECTS = [
    ("WAVES", "Waves", "The vertex moves up and down as on water, and its light changes (TR3, TR4)"),
    ("CAUSTICS", "Caustics", "Light changes as under water. Level editors call it glow (TR3, TR4)"),
    ("STILL", "Still", "The vertex does not sway when seen through a water surface (TR2, TR3)"),
]
_DISPLAYS = [
    ("MARKS", "Marks", "A small sphere at each vertex for each of its effects"),
    ("MOTION", "Motion", "Waves and changing light, as at the current frame"),
]
_MODES = ("OBJECT", "EDIT_MESH")
_NEUTRAL, _STRONGEST = 16, 30


def _rooms(context: Context) -> list[Object]:
    """Return the rooms in edit mode; in object mode, the selected ones."""
    objects = context.objects_in_mode if context.mode == "EDIT_MESH" else context.selected_objects
    return [obj for obj in objects if obj.type == "MESH" and obj.tomb_raider.kind == Kind.ROOM]


class _EffectTool(EditingTool):
    """Base of operators on the selected vertices of rooms; in object mode, on all of the selected rooms."""

    requires = condition(
        lambda context: context.mode in _MODES and _rooms(context),
        T("Select rooms of a level, or edit one and select vertices"),
    )

    def is_known(self, game: Game) -> bool:
        """Return whether a game has the effect."""
        raise NotImplementedError

    def change(self, mesh: Mesh, game: Game, rows: Any) -> int:
        """Change the effect of vertices, and return the number of changed ones."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.rooms import selected_vertices

        levels = {obj: level_of(obj) for obj in _rooms(context)}
        games = {obj: game_of(level) for obj, level in levels.items() if level is not None}
        supported = {obj: game for obj, game in games.items() if self.is_known(game)}
        if not supported:
            report_line(self, "WARNING", T("The game of these rooms does not have this effect"))
            return {"CANCELLED"}
        rows: dict[Mesh, Any] = {}
        for obj in supported:
            assert isinstance(obj.data, Mesh)
            rows[obj.data] = selected_vertices(obj.data)
        if not any(selected.any() for selected in rows.values()):
            report_line(self, "WARNING", T("Select vertices first"))
            return {"CANCELLED"}
        game = next(iter(supported.values()))
        changed = sum(self.change(mesh, game, selected) for mesh, selected in rows.items())
        report_line(self, "INFO", T("Vertices that changed: {changed}", changed=changed))
        return {"FINISHED"}


class TOMB_RAIDER_OT_set_vertex_effect(_EffectTool):
    """Add or remove an effect of the selected vertices. Object Mode: of whole selected rooms"""

    bl_idname = "tomb_raider.set_vertex_effect"
    bl_label = "Set Vertex Effect"

    effect: EnumProperty(name="Effect", items=_EFFECTS, description="Effect of the vertices in the game")
    remove: BoolProperty(name="Remove", description="Remove the effect from the vertices")

    def is_known(self, game: Game) -> bool:
        from ...formats.levels.rooms import effect_bits

        return self.effect in effect_bits(game)

    def change(self, mesh: Mesh, game: Game, rows: Any) -> int:
        from ...formats.levels.rooms import effect_bits
        from ...scene.subjects.rooms import change_attributes

        bit = effect_bits(game)[self.effect]
        return change_attributes(mesh, game, rows, 0 if self.remove else bit, bit)


class TOMB_RAIDER_OT_set_effect_strength(_EffectTool):
    """Set how much the room's Light Mode changes the light of the selected vertices (TR2)"""

    bl_idname = "tomb_raider.set_effect_strength"
    bl_label = "Set Effect Strength"

    strength: IntProperty(
        name="Strength",
        default=_NEUTRAL,
        min=0,
        max=_STRONGEST,
        description="16: no change. More darkens, less brightens, by up to half of full light",
    )

    def is_known(self, game: Game) -> bool:
        from ...formats.levels.rooms import has_strength

        return has_strength(game)

    def change(self, mesh: Mesh, game: Game, rows: Any) -> int:
        from ...scene.subjects.rooms import set_strength

        return set_strength(mesh, game, rows, self.strength)


class TOMB_RAIDER_OT_show_vertex_effects(LevelTool):
    """Show or hide the effects of vertices in all rooms. Does not affect exports"""

    bl_idname = "tomb_raider.show_vertex_effects"
    bl_label = "Show or Hide Vertex Effects"

    edited_kinds = (Kind.ROOM,)

    display: EnumProperty(name="Display", items=_DISPLAYS, description="Display to show or hide")

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.portals import effects_display

        level = self.level(context)
        label = getattr(effects_display, self.display)
        rooms = [obj for obj in members_of(level, Kind.ROOM) if isinstance(obj.data, Mesh)]
        on = not any(effects_display.shows_effects(obj, label) for obj in rooms)
        effects_display.show_effects(level, rooms, label, on)
        return {"FINISHED"}


class VIEW3D_PT_tomb_raider_vertex_effects(SidebarPanel):
    """Panel of effects of the vertices of rooms."""

    bl_label = "Vertex Effects"
    bl_order = TOOLS + 3
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        if (
            context.mode not in _MODES
            or not has_selection(context)
            or obj is None
            or obj.tomb_raider.kind != Kind.ROOM
        ):
            return False
        level = level_of(obj)
        return level is not None and game_of(level).traits.has_vertex_attributes

    def draw(self, context: Context) -> None:
        obj: Any = context.object
        level = level_of(obj)
        if level is None:
            return
        from ...formats.levels.rooms import effect_bits, has_strength

        column, game = split_columns(self), game_of(level)
        if obj.mode == "EDIT":
            _draw_active(column, obj.data, game)
        buttons = column.column(align=True)
        for name, label, _ in _EFFECTS:
            if name in effect_bits(game):
                row = buttons.row(align=True)
                row.operator("tomb_raider.set_vertex_effect", text=label).effect = name
                button = row.operator("tomb_raider.set_vertex_effect", text="", icon="X")
                button.effect, button.remove = name, True
        if has_strength(game):
            buttons.operator("tomb_raider.set_effect_strength")
        column.label(text="Show or Hide")
        row = column.row(align=True)
        for name, label, _ in _DISPLAYS:
            row.operator("tomb_raider.show_vertex_effects", text=label).display = name


def _draw_active(layout: UILayout, mesh: Mesh, game: Game) -> None:
    """Draw the effects of the active vertex."""
    from ...formats.levels.rooms import STRENGTH, effect_bits, has_strength
    from ...scene.subjects.rooms import active_attributes

    flags = active_attributes(mesh)
    if flags is None:
        layout.label(text="Select a vertex")
        return
    bits = effect_bits(game)
    names = [translate(label) for name, label, _ in _EFFECTS if flags & bits.get(name, 0)]
    layout.label(text=translate(T("Active Vertex: {names}", names=", ".join(names) or "-")))
    if has_strength(game):
        layout.label(text=translate(T("Strength: {strength}", strength=flags & STRENGTH)))


CLASSES = (VIEW3D_PT_tomb_raider_vertex_effects,)

register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_set_vertex_effect,
        TOMB_RAIDER_OT_set_effect_strength,
        TOMB_RAIDER_OT_show_vertex_effects,
    )
)
