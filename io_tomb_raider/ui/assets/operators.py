"""Mark as Assets and Unmark Assets: pieces of a level in Blender's asset browser."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Collection, Context, Event, Menu, Object, UILayout

from ...formats import FormatError
from ...formats.base import N_, T, plural
from ...scene.properties import CONTEXT
from ..base.layout.menu_entries import Entries, with_entries
from ..base.modes import UserMode
from ..base.operators import LevelTool, SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, explain, popup_later, report_result
from ..base.stepped import CanceledError, SteppedTool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scene.assets import Asset
    from ...scene.core import Work

_WIDTH = 320
_KINDS = [
    ("MODELS", "Models", "Models with their meshes, animations and the sounds of these", 1),
    ("STATIC_MESHES", "Static Meshes", "Static meshes of the library", 2),
    ("SPRITES", "Sprites", "Sprites, with all their pictures", 4),
    ("ROOMS", "Rooms", "Rooms with their collision, lights, static meshes and sprites", 8),
    ("SOUNDS", "Sounds", "Sounds with samples, as speakers, since Blender has no sound assets", 16),
    ("MATERIALS", "Materials", "Materials of the level's faces", 32),
]


class _AssetTool(SceneEditingTool, LevelTool):
    """Base of operators on the pieces of a level that can be assets."""

    kinds: EnumProperty(
        name="Kinds",
        translation_context=CONTEXT,
        items=_KINDS,
        options={"ENUM_FLAG"},
        default={"MODELS", "STATIC_MESHES", "SPRITES", "ROOMS", "SOUNDS", "MATERIALS"},
        description="Kinds of data to mark",
    )
    only_selected: BoolProperty(
        name="Selected Only",
        description="Only the data of selected objects; for an entity, its model",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        self.level(context)
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.column().prop(self, "kinds")
        layout.prop(self, "only_selected")

    def chosen(self, context: Context) -> list[Object] | None:
        """Return the selected objects, or None for all."""
        layer = context.view_layer
        return list(layer.objects.selected) if self.only_selected and layer is not None else None


class TOMB_RAIDER_OT_mark_as_assets(SteppedTool, _AssetTool):
    """Mark parts of the level as assets, with previews, tags and catalogs"""

    bl_idname = "tomb_raider.mark_as_assets"
    bl_label = "Mark as Assets"

    previews: BoolProperty(
        name="Previews",
        default=True,
        description="Draw a preview of each asset, which takes most of the time. Esc stops it",
    )

    def draw(self, context: Context) -> None:
        super().draw(context)
        self.layout.prop(self, "previews")
        if library_folder(context) is None:
            self.layout.label(text="The file is not saved: catalogs need a folder", icon="ERROR")

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ...scene.assets import assets_of, mark, read_catalogs, write_catalogs

        level = self.level(context)
        warnings: list[str] = []
        folder = library_folder(context)
        bar.title = T("Drawing previews") if self.previews else T("Marking as assets")
        with UserMode(context) as mode:
            mode.leave()
            pieces = assets_of(level, self.kinds, self.chosen(context))
            if not pieces:
                raise ToolError(T("{level}: there is no data of these kinds to mark", level=level.name))
            try:
                catalogs = {} if folder is None else read_catalogs(folder)
            except (FormatError, OSError) as error:
                catalogs, folder = {}, None
                warnings.append(T("The catalogs were not written: {error}", error=explain(error)))
            yield T("Marking as assets"), 0.0
            marked = mark(level, pieces, known=catalogs)
        if len(marked.assets) < len(pieces):
            count = len(pieces) - len(marked.assets)
            warnings.append(
                T("Linked from other files, and not marked: {count}. Mark them there", count=count)
            )
        if folder is None and not warnings:
            warnings.append(T("Save the file and mark again: catalogs are stored in a file next to it"))
        elif folder is not None:
            try:
                write_catalogs(folder, marked.catalogs)
            except (FormatError, OSError) as error:
                warnings.append(T("The catalogs were not written: {error}", error=explain(error)))
        text = T("{level}: marked as assets: {count}", level=level.name, count=len(marked.assets))
        if self.previews:
            warnings += yield from _draw(marked.assets)
        _refresh_browsers(context)
        if warnings and self.options.is_invoke:
            popup_later(text, warnings)
        report_result(self, text, warnings)
        return {"FINISHED"}


def _draw(assets: "Sequence[Asset]") -> "Work[list[str]]":
    """Draw previews step by step, and return warnings. Those that are drawn when Esc is pressed are kept."""
    from ...scene.assets import draw_previews

    remaining = len(assets)
    try:
        for step in draw_previews(assets):
            yield step
            remaining -= 1
    except CanceledError:
        return [
            plural(
                "Stopped: one preview was not drawn. Mark again to draw it",
                "Stopped: {count} previews were not drawn. Mark again to draw them",
                remaining,
            )
        ]
    return []


class TOMB_RAIDER_OT_unmark_assets(_AssetTool):
    """Remove parts of the level from the asset browser; their data is kept"""

    bl_idname = "tomb_raider.unmark_assets"
    bl_label = "Unmark Assets"

    def execute(self, context: Context) -> Outcome:
        from ...scene.assets import unmark

        level = self.level(context)
        with UserMode(context) as mode:
            mode.leave()
            count = unmark(level, self.kinds, self.chosen(context))
        if not count:
            raise ToolError(T("{level}: nothing of these kinds is marked", level=level.name))
        _refresh_browsers(context)
        report_result(self, T("{level}: unmarked assets: {count}", level=level.name, count=count), [])
        return {"FINISHED"}


def library_folder(context: Context) -> Path | None:
    """Return the folder of the catalogs for the open file, or None if it was never saved.

    This is the innermost asset library that contains the file, or else the file's own folder.
    """
    if not bpy.data.filepath:
        return None
    blend_folder = Path(bpy.data.filepath).resolve().parent
    preferences = context.preferences
    paths = [library.path for library in preferences.filepaths.asset_libraries if library.path]
    folders = [Path(bpy.path.abspath(path)).resolve() for path in paths]
    outer = [folder for folder in folders if blend_folder.is_relative_to(folder)]
    return max(outer, key=lambda folder: len(folder.parts), default=blend_folder)


def _refresh_browsers(context: Context) -> None:
    """Refresh open asset browsers."""
    manager = context.window_manager
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == "FILE_BROWSER" and area.ui_type == "ASSETS":
                region = next((region for region in area.regions if region.type == "WINDOW"), None)
                with context.temp_override(window=window, area=area, region=region):
                    bpy.ops.asset.library_refresh()  # there is no data API for it


def draw_assets(layout: UILayout, level: Collection | None) -> None:
    """Draw the asset buttons of a level."""
    row = layout.row(align=True)
    name = "" if level is None else level.name
    row.operator("tomb_raider.mark_as_assets", icon="ASSET_MANAGER").collection = name
    row.operator("tomb_raider.unmark_assets", text="Unmark").collection = name


def _draw_menu(menu: Menu, _context: Context) -> None:
    layout = menu.layout
    layout.separator()
    for name, text in (
        ("mark_as_assets", N_("Mark as Tomb Raider Assets")),
        ("unmark_assets", N_("Unmark Tomb Raider Assets")),
    ):
        layout.operator(f"tomb_raider.{name}", text=text).only_selected = True


_ENTRIES: Entries = (("VIEW3D_MT_object_asset", _draw_menu),)

register, unregister = with_entries((TOMB_RAIDER_OT_mark_as_assets, TOMB_RAIDER_OT_unmark_assets), _ENTRIES)
