"""File > New: a level without a file, optionally with the library of a kit, and the example."""

import os
from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Event, Menu, Operator, UILayout

from ...formats import Game
from ...formats.base import N_, T, about
from ...scene.core import members
from ...scene.properties import CONTEXT, GAMES
from ..base.files.browsing import browse
from ..base.files.file_tools import file_filter
from ..base.guard import report_errors
from ..base.layout.menu_entries import Entries, with_entries
from ..base.layout.panels import SidebarPanel, split_layout
from ..base.layout.sidebar import LEVEL
from ..base.levels import IMPORT_SUFFIXES, scene_levels
from ..base.modes import object_mode
from ..base.operators import SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, contents, report_result
from ..base.text.i18n import translate
from ..preferences.preferences import first_view, import_options


def _pieces(name: str, description: str) -> object:
    """Declare a property with the pieces to take of one kind."""
    return StringProperty(name=name, description=description, options={"SKIP_SAVE"})


class TOMB_RAIDER_OT_example(SceneEditingTool, Operator):
    """Open the example: a small ruin to look at, walk through and edit, without any game"""

    bl_idname = "tomb_raider.example"
    bl_label = "Tomb Raider Example"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("The example was not opened: {error}")

    game: EnumProperty(
        name="Game",
        items=GAMES,
        default="TR4",
        description="Game of the level. It is made for TR4, and converted to others",
    )

    def execute(self, context: Context) -> Outcome:
        with object_mode(context), ProgressBar(context, T("Tomb Raider Example"), 1) as bar:
            return self._open(context, bar)

    def _open(self, context: Context, bar: ProgressBar) -> Outcome:
        from ...scene.new_levels import open_example
        from ..view.first_view import present

        example = open_example(Game[self.game], import_options(context), listener=bar)
        present(context, example.root, first_view(context))
        report_result(self, about(example.root.name, contents(example.level)), example.report.warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_new_level(SceneEditingTool, Operator):
    """Start a level in the open file, with a first room. A kit adds its library and Lara"""

    bl_idname = "tomb_raider.new_level"
    bl_label = "New Tomb Raider Level"
    bl_options = {"REGISTER", "UNDO"}

    game: EnumProperty(name="Game", items=GAMES, description="Game of the level")
    level_name: StringProperty(
        name="Name",
        default="New Level",
        translation_context=CONTEXT,
        description="Name of the level and its file",
        options={"SKIP_SAVE"},
    )
    kit: StringProperty(
        name="Kit",
        subtype="FILE_PATH",
        description="Level, WAD or .blend of any game to take models, static meshes, sprites and sounds from",
        options={"SKIP_SAVE"},
    )
    kit_level: StringProperty(
        name="Level of Kit",
        description="Collection of the kit, if a .blend has several levels. Empty: the first",
        options={"SKIP_SAVE"},
    )
    models: _pieces(
        "Models",
        "Models to add besides Lara: names, patterns (Door*) or ids, with commas. Empty: all. -: none",
    )
    static_meshes: _pieces("Static Meshes", "Static meshes to add, likewise. Empty: all. -: none")
    sprites: _pieces("Sprites", "Sprites to add, likewise. Empty: all. -: none")
    sounds: _pieces("Sounds", "Sounds to add besides those of animations, likewise. Empty: all. -: none")
    from_kit: BoolProperty(
        name="From Kit",
        description="Choose a kit in the file browser; the game is that of the kit",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: file_filter(*IMPORT_SUFFIXES, ".blend")

    def invoke(self, context: Context, _event: Event) -> Outcome:
        if self.from_kit:
            return browse(self, context)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        if not self.from_kit:
            layout.prop(self, "game")
        layout.prop(self, "level_name")
        if self.from_kit:
            layout.prop(self, "kit_level", placeholder=translate("The first"))
            for name in ("models", "static_meshes", "sprites", "sounds"):
                layout.prop(self, name, placeholder=translate("All"))
        if not self.from_kit:
            layout.label(text="Without a kit, the level has no Lara yet", icon="INFO")

    def execute(self, context: Context) -> Outcome:
        with object_mode(context), ProgressBar(context, T("New Level"), 1) as bar:
            return self._start(context, bar)

    def _start(self, context: Context, bar: ProgressBar) -> Outcome:
        from ...scene.new_levels import new_level
        from ...scene.transfer.engine import PieceSelection
        from ..view.first_view import IMPORT_ONLY, present

        kit = bpy.path.abspath(self.kit or self.filepath)
        game = None if self.from_kit else Game[self.game]
        if self.from_kit and not kit:
            raise ToolError(T("No kit was chosen"))
        name = os.path.basename(kit) or self.level_name
        with report_errors(N_("No level was started: {name}: {error}"), self, None, name=name):
            new = new_level(
                game,
                self.level_name or "New Level",
                Path(kit) if kit else None,
                import_options(context),
                kit_level=self.kit_level,
                wanted=PieceSelection(self.models, self.static_meshes, self.sprites, self.sounds),
                listener=bar,
            )
        present(context, new.root, first_view(context) - IMPORT_ONLY)
        kinds = [obj.tomb_raider.kind for obj in members(new.root)]
        text = contents(new.level, rooms=kinds.count("ROOM"), entities=kinds.count("ENTITY"))
        report_result(self, about(new.root.name, text), new.report.warnings)
        return {"FINISHED"}


def draw_new(layout: UILayout, *, in_menu: bool) -> None:
    """Draw both operators that start a level, for the menu *New* or for elsewhere."""
    name = TOMB_RAIDER_OT_new_level.bl_idname
    layout.operator(name, text="Tomb Raider Level" if in_menu else "New Level", icon="FILE_NEW")
    text = T("Tomb Raider Level from Kit…") if in_menu else T("New Level from Kit…")
    layout.operator(name, text=text).from_kit = True


class VIEW3D_PT_tomb_raider_start(SidebarPanel):
    """Panel of a scene without levels."""

    bl_label = "Level"
    bl_translation_context = CONTEXT
    bl_context = "objectmode"
    bl_order = LEVEL

    @classmethod
    def poll(cls, context: Context) -> bool:
        return not scene_levels(context)

    def draw(self, _context: Context) -> None:
        column = self.layout.column()
        column.operator_context = "INVOKE_DEFAULT"
        column.operator("import_scene.tomb_raider", text="Import", icon="IMPORT")
        draw_new(column, in_menu=False)
        column.operator(TOMB_RAIDER_OT_example.bl_idname, text="Open Example", icon="WORLD")
        column.operator("tomb_raider.split_into_rooms", icon="MOD_EXPLODE")


def _draw_menu(menu: Menu, _context: Context) -> None:
    menu.layout.separator()
    menu.layout.operator_context = "INVOKE_DEFAULT"
    draw_new(menu.layout, in_menu=True)
    menu.layout.operator_menu_enum(TOMB_RAIDER_OT_example.bl_idname, "game")


_ENTRIES: Entries = (("TOPBAR_MT_file_new", _draw_menu),)

register, unregister = with_entries(
    (TOMB_RAIDER_OT_new_level, TOMB_RAIDER_OT_example, VIEW3D_PT_tomb_raider_start), _ENTRIES
)
