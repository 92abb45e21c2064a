"""Split into Rooms operator: selected meshes of any size become rooms of a level."""

from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Collection, Context, Event, Menu, Object

from ...formats import Game
from ...formats.base import T
from ...scene.core import Kind
from ...scene.properties import GAMES
from ...scene.subjects.meshes import MOST_SPLIT
from ..base.active import active_layer
from ..base.conditions import condition
from ..base.layout.menu_entries import Entries, with_entries
from ..base.layout.panels import draw_settings
from ..base.levels import chosen_level, scene_levels
from ..base.operators import EditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, report_line
from ..base.selecting import select_only
from ..preferences.preferences import first_view

_NAMED = 4  # objects that a report names before they are only counted
_SECTORS = 20  # per side: the default of level editors
_MOST_SECTORS = 30  # per side: with the walls around them, the limit of level editors
_MOST_VERTICES = 0xFFFF


class TOMB_RAIDER_OT_split_into_rooms(EditingTool):
    """Split the selected meshes at narrow places into connected rooms, in a new level if needed"""

    bl_idname = "tomb_raider.split_into_rooms"
    bl_label = "Split into Rooms"

    sectors: IntProperty(
        name="Sectors",
        default=_SECTORS,
        min=2,
        max=_MOST_SECTORS,
        description="Maximum length and width of rooms in sectors",
    )
    vertices: IntProperty(
        name="Vertices",
        default=MOST_SPLIT,
        min=100,
        max=_MOST_VERTICES,
        description="Maximum vertices of rooms larger than one sector. TR1 and TR2 draw up to 1,500",
    )
    storeys: BoolProperty(
        name="Storeys",
        default=True,
        description="Cut where floors are above one another: a sector has only one floor",
    )
    game: EnumProperty(name="Game", items=GAMES, default="TR4", description="Game of the new level")

    requires = condition(
        lambda context: context.mode == "OBJECT" and _selected(context),
        T("Select meshes that are not part of a level, in Object Mode"),
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: Context) -> None:
        is_new = not scene_levels(context)
        draw_settings(self, *(("game",) if is_new else ()), "sectors", "vertices", "storeys")

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.split_into_rooms import RoomLimits, split_into_rooms
        from ...scene.core import first_few
        from ..view.first_view import IMPORT_ONLY, present

        root: Collection | Game = chosen_level(context) if scene_levels(context) else Game[self.game]
        limits = RoomLimits(self.sectors, self.vertices, self.storeys)
        with ProgressBar(context, self.bl_label) as bar:
            result = split_into_rooms(root, _selected(context), limits, listener=bar)
        active_layer(context).update()
        if isinstance(root, Game):
            present(context, result.root, first_view(context) - IMPORT_ONLY)
        select_only(context, result.rooms)
        report_line(
            self,
            "INFO",
            T(
                "Rooms: {count}. Pairs connected: {pairs}. Portals: {portals}",
                count=len(result.rooms),
                pairs=result.pairs,
                portals=result.portals,
            ),
        )
        if result.alone:
            report_line(
                self, "WARNING", T("Connected to none: {alone}", alone=first_few(result.alone, _NAMED))
            )
        if result.crowded:
            crowded = first_few(result.crowded, _NAMED)
            text = T("Rooms of one sector with more vertices than the maximum: {crowded}", crowded=crowded)
            report_line(self, "WARNING", text)
        if result.without_material:
            names = first_few(result.without_material, _NAMED)
            text = T("Faces without a material received a plain one: {names}", names=names)
            report_line(self, "WARNING", text)
        return {"FINISHED"}


def _selected(context: Context) -> list[Object]:
    return [
        obj for obj in context.selected_objects if obj.type == "MESH" and obj.tomb_raider.kind == Kind.NONE
    ]


def _draw_menu(menu: Menu, _context: Context) -> None:
    menu.layout.operator_context = "INVOKE_DEFAULT"
    menu.layout.operator(TOMB_RAIDER_OT_split_into_rooms.bl_idname)


_ENTRIES: Entries = (("TOMB_RAIDER_MT_object", _draw_menu),)

register, unregister = with_entries((TOMB_RAIDER_OT_split_into_rooms,), _ENTRIES)
