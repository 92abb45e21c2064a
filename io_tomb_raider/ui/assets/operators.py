"""Mark as Assets and Unmark Assets: pieces of a level in Blender's asset browser."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Collection, Context, Event, Menu, Object, UILayout

from ...formats.base.messages import N_, T, plural
from ...scene.properties.kinds import CONTEXT
from ..base.i18n import translate
from ..base.menu_entries import Entries, with_entries
from ..base.modes import UserMode
from ..base.operators import LevelTool, SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, explain, plain, popup_later, report_line, report_result
from .drawing import Previews

_WIDTH = 320
_PAUSE = 0.01  # seconds between previews, in which Blender draws its windows
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
        if self.level(context) is None:
            return {"CANCELLED"}
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.column().prop(self, "kinds")
        layout.prop(self, "only_selected")

    def chosen(self, context: Context) -> list[Object] | None:
        """Return the selected objects, or None for all."""
        layer = context.view_layer
        return list(layer.objects.selected) if self.only_selected and layer is not None else None

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        mode = UserMode(context)
        mode.leave()
        try:
            return self.run(context, level)
        finally:
            mode.enter_again()

    def run(self, context: Context, level: Collection) -> Outcome:
        """Run the operator on a level, in object mode."""
        raise NotImplementedError


class TOMB_RAIDER_OT_mark_as_assets(_AssetTool):
    """Mark parts of the level as assets, with previews, tags and catalogs"""

    bl_idname = "tomb_raider.mark_as_assets"
    bl_label = "Mark as Assets"

    previews: BoolProperty(
        name="Previews",
        default=True,
        description="Render a preview of each asset, which takes most of the time. Esc stops it",
    )

    def draw(self, context: Context) -> None:
        super().draw(context)
        self.layout.prop(self, "previews")
        if library_folder(context) is None:
            self.layout.label(text="The file is not saved: catalogs need a folder", icon="ERROR")

    def run(self, context: Context, level: Collection) -> Outcome:
        from ...formats import ExportError, FormatError
        from ...scene.assets.assets import assets_of
        from ...scene.assets.catalogs import read_catalogs, write_catalogs
        from ...scene.assets.marks import mark
        from ...scene.assets.pictures.studio import require_cycles

        self._warnings: list[str] = []
        pieces = assets_of(level, self.kinds, self.chosen(context))
        if not pieces:
            report_line(
                self, "ERROR", T("{level}: there is no data of these kinds to mark", level=level.name)
            )
            return {"CANCELLED"}
        folder = library_folder(context)
        warnings = self._warnings
        is_shown = self.previews and self.options.is_invoke and not bpy.app.background
        try:
            known = {} if folder is None else read_catalogs(folder)
        except (FormatError, OSError) as error:
            known, folder = {}, None
            warnings.append(T("The catalogs were not written: {error}", error=explain(error)))
        title = T("Drawing previews") if self.previews else T("Marking as assets")
        try:
            if is_shown:
                require_cycles()
            with ProgressBar(context, title) as bar:
                previews = self.previews and not is_shown
                made = mark(level, pieces, known=known, previews=previews, listener=bar)
        except ExportError as error:
            report_line(self, "ERROR", T("{error}, or mark without Previews", error=explain(error)))
            return {"CANCELLED"}
        if len(made.assets) < len(pieces):
            count = len(pieces) - len(made.assets)
            warnings.append(
                T("Linked from other files, and not marked: {count}. Mark them there", count=count)
            )
        if folder is None and not warnings:
            warnings.append(T("Save the file and mark again: catalogs are stored in a file next to it"))
        elif folder is not None:
            try:
                write_catalogs(folder, made.catalogs)
            except (FormatError, OSError) as error:
                warnings.append(T("The catalogs were not written: {error}", error=explain(error)))
        self._level, self._count = level.name, len(made.assets)
        if is_shown and made.assets:
            return self._begin(context, Previews(level, made.assets))
        return self._end(context)

    def _begin(self, context: Context, previews: Previews) -> Any:
        """Begin to draw previews between events."""
        manager = context.window_manager
        self._previews = previews
        self._timer = manager.event_timer_add(_PAUSE, window=context.window)
        manager.progress_begin(0, previews.count)
        manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Any:
        previews = self._previews
        if event.type == "ESC" and event.value == "PRESS":
            self._warnings.append(
                plural(
                    "Stopped: one preview was not drawn. Mark again to draw it",
                    "Stopped: {count} previews were not drawn. Mark again to draw them",
                    previews.left,
                )
            )
        elif event.type != "TIMER":
            return {"RUNNING_MODAL"}
        else:
            previews.draw_next()
            if previews.left:
                self._show(context)
                return {"RUNNING_MODAL"}
        self.cancel(context)
        return self._end(context)

    def _show(self, context: Context) -> None:
        previews = self._previews
        done = previews.count - previews.left
        context.window_manager.progress_update(done)
        text = T(
            "Drawing previews: {done} of {count}: {name}. Esc: stop",
            done=done,
            count=previews.count,
            name=previews.next_name,
        )
        context.workspace.status_text_set(plain(translate(text)))

    def cancel(self, context: Context) -> None:
        """Remove the timer and the progress, also when the window is closed meanwhile."""
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)

    def _end(self, context: Context) -> Outcome:
        """Report the assets, and the warnings."""
        _refresh_browsers(context)
        text = T("{level}: marked as assets: {count}", level=self._level, count=self._count)
        if self._warnings and self.options.is_invoke:
            popup_later(text, self._warnings)
        report_result(self, text, self._warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_unmark_assets(_AssetTool):
    """Remove parts of the level from the asset browser; their data is kept"""

    bl_idname = "tomb_raider.unmark_assets"
    bl_label = "Unmark Assets"

    def run(self, context: Context, level: Collection) -> Outcome:
        from ...scene.assets.marks import unmark

        count = unmark(level, self.kinds, self.chosen(context))
        if not count:
            report_line(self, "ERROR", T("{level}: nothing of these kinds is marked", level=level.name))
            return {"CANCELLED"}
        _refresh_browsers(context)
        report_result(self, T("{level}: unmarked assets: {count}", level=level.name, count=count), [])
        return {"FINISHED"}


def library_folder(context: Context) -> Path | None:
    """Return the folder of the catalogs for the open file, or None if it was never saved.

    This is the innermost asset library that contains the file, or else the file's own folder.
    """
    if not bpy.data.filepath:
        return None
    own = Path(bpy.data.filepath).resolve().parent
    preferences = context.preferences
    libraries = [
        Path(bpy.path.abspath(each.path)) for each in preferences.filepaths.asset_libraries if each.path
    ]
    inside = [each.resolve() for each in libraries if own.is_relative_to(each.resolve())]
    return max(inside, key=lambda each: len(each.parts), default=own)


def _refresh_browsers(context: Context) -> None:
    """Refresh open asset browsers."""
    manager = context.window_manager
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == "FILE_BROWSER" and area.ui_type == "ASSETS":
                region = next((each for each in area.regions if each.type == "WINDOW"), None)
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
