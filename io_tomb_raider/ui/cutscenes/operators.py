"""Operators that import, export and make cutscenes of TR4 and TR5."""

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Collection, Context, Event, Menu, Operator, OperatorFileListElement

from ...formats import ExportError, FormatError, Game
from ...formats.base import N_, T, about, joined, read_file, replace_file
from ...scene.core import Kind, require_local
from ...scene.properties import CONTEXT
from ..base.conditions import ONLY_OBJECT_MODE, ConditionalTool, condition
from ..base.files.browsing import FileBrowser, browse
from ..base.files.file_tools import FileExport
from ..base.layout.menu_entries import Entries, with_entries
from ..base.layout.panels import draw_settings
from ..base.levels import all_levels, chosen_level, game_of, level_of, level_with, scene_levels
from ..base.modes import UserMode, object_mode
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, ask, plain, report_line, report_result
from ..base.selecting import select_only

if TYPE_CHECKING:
    from ...formats.levels.cutscenes import Cutseq

_FILES = "*.pak;*.bin"
_NAMES = {Game.TR4: "CUTSEQ.PAK", Game.TR5: "CUTSEQ.BIN"}
_TURNS = [
    ("0", "As in the File", "Most cutscenes", 0),
    ("1", "90 Degrees", "Clockwise from above", 1),
    ("2", "180 Degrees", "", 2),
    ("3", "270 Degrees", "Clockwise from above", 3),
]

# Blender does not keep the strings of dynamic enumerations.
_offered_items: list[tuple[str, str, str, int]] = []


def cutscenes_of(level: Collection) -> list[Collection]:
    """Return the cutscenes of a level, sorted by number."""
    cutscenes = [child for child in level.children_recursive if child.tomb_raider.kind == Kind.CUTSCENE]
    return sorted(cutscenes, key=lambda cutscene: (cutscene.tomb_raider.cutscene.number, cutscene.name))


def active_cutscene(context: Context) -> Collection | None:
    """Return the cutscene of the active object, or else the active collection."""
    obj = context.view_layer.objects.active
    collections = [*(obj.users_collection if obj is not None else ()), context.collection]
    return next(
        (each for each in collections if each is not None and each.tomb_raider.kind == Kind.CUTSCENE), None
    )


def list_cutscenes(cutseq: "Cutseq", level: Collection) -> list[tuple[str, str, str, int]]:
    """Return enumeration items for the cutscenes of a file, with actors and duration."""
    from ...catalogue import names
    from ...formats.levels.cutscenes import read_summary

    catalogue = names(game_of(level))
    result: list[tuple[str, str, str, int]] = []
    for number in cutseq.numbers:
        try:
            summary = read_summary(cutseq.bytes_of(number))
        except FormatError as error:
            result.append((str(number), T("{number}: damaged", number=number), plain(str(error)), number))
            continue
        # The first actor is always Lara, whatever the file says.
        actors = [catalogue.model(slot if index else 0) for index, slot in enumerate(summary.slots)]
        seconds = summary.num_frames / 30
        title = T(
            "{number}: {seconds:.0f} s, {actors}",
            number=number,
            seconds=seconds,
            actors=joined(", ", actors) or T("no actors"),
        )
        about = T(
            "{num_frames} frames, audio track {audio_track}",
            num_frames=summary.num_frames,
            audio_track=summary.audio_track,
        )
        result.append((str(number), title, about, number))
    return result


class _Import(ConditionalTool):
    """Shared part of the operators that import a cutscene. Operators cannot be bases of other operators."""

    failure = N_("No cutscene was imported: {error}")

    collection: StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description="Collection of the level that plays it. Empty: the active level, or the only one",
        options={"SKIP_SAVE"},
    )
    quarter_turns: EnumProperty(
        name="Turned",
        items=_TURNS,
        description="Rotation about the origin by the game during playback. The file does not store it",
        options={"SKIP_SAVE"},
    )
    set_up_scene: BoolProperty(
        name="Set Up Scene",
        default=True,
        description="Set the scene to play the cutscene at 30 frames per second through its camera",
    )

    requires = condition(
        lambda _context: all_levels(), T("Import the level that plays the cutscene first")
    ) + condition(lambda context: context.scene is not None and context.scene.is_editable)

    def level(self, context: Context) -> Collection:
        return chosen_level(context, self.collection)

    def import_number(self: Any, context: Context, path: str, cutseq: "Cutseq", number: int) -> Outcome:
        """Import a cutscene, and report the result."""
        from ...scene.subjects.cutscenes import import_cutscene
        from ...scene.upgrades import upgrade

        level = self.level(context)
        if number not in cutseq.numbers:
            subject = T("Cutscene {number}", number=number)
            raise ExportError(subject, T("the file has {numbers}", numbers=_numbers(cutseq)))
        require_local(level)
        upgrade(level)
        with object_mode(context):
            cutscene, report = import_cutscene(
                level,
                cutseq.bytes_of(number),
                number,
                source=path,
                quarter_turns=int(self.quarter_turns),
                set_up_scene=self.set_up_scene,
            )
        frames = cutscene.tomb_raider.cutscene.frames
        text = T("{name}: {frames} frames in {level}", name=cutscene.name, frames=frames, level=level.name)
        report_result(self, text, report.warnings)
        return {"FINISHED"}


class IMPORT_SCENE_OT_tomb_raider_cutscene(_Import, Operator, FileBrowser):
    """Import a cutscene of The Last Revelation or Chronicles into the level that plays it"""

    bl_idname = "import_scene.tomb_raider_cutscene"
    bl_label = "Import Tomb Raider Cutscene"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("{file} was not imported: {error}")

    filter_glob: StringProperty(default=_FILES, options={"HIDDEN"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    number: IntProperty(
        name="Number",
        min=0,
        description="Number of the cutscene in the file, from 1. 0: choose from a list",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        draw_settings(self, "number", "quarter_turns", "set_up_scene")

    def execute(self, context: Context) -> Outcome:
        from ...formats.levels.cutscenes import read_cutseq

        path = bpy.path.abspath(self.filepath)
        if len(self.files) > 1:
            raise ToolError(T("Import one file of cutscenes after the other"))
        cutseq = read_cutseq(read_file(path))
        level = self.level(context)
        number = self.number or (cutseq.numbers[0] if len(cutseq.numbers) == 1 else 0)
        if number:
            return self.import_number(context, path, cutseq, number)
        if not self.options.is_invoke:
            text = T(
                "Choose a number: {file} has {numbers}", file=os.path.basename(path), numbers=_numbers(cutseq)
            )
            raise ToolError(text)
        _offered_items[:] = list_cutscenes(cutseq, level)
        operators: Any = bpy.ops
        ask(
            self,
            operators.tomb_raider.choose_cutscene,
            filepath=path,
            collection=level.name,
            quarter_turns=self.quarter_turns,
            set_up_scene=self.set_up_scene,
        )
        return {"CANCELLED"}


def _numbers(cutseq: "Cutseq") -> str:
    """Return a text that lists the cutscenes of a file."""
    return T("the cutscenes {numbers}", numbers=joined(", ", map(str, cutseq.numbers)))


def _choices(_self: Operator, _context: Context | None) -> list[tuple[str, str, str, int]]:
    return _offered_items


class TOMB_RAIDER_OT_choose_cutscene(_Import, Operator):
    """Choose one of the cutscenes of a file, and import it"""

    bl_idname = "tomb_raider.choose_cutscene"
    bl_label = "Import Tomb Raider Cutscene"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    number: EnumProperty(name="Cutscene", items=_choices, description="Cutscene to import")

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, width=500)

    def draw(self, _context: Context) -> None:
        self.layout.prop(self, "number")

    def execute(self, context: Context) -> Outcome:
        from ...formats.levels.cutscenes import read_cutseq

        cutseq = read_cutseq(read_file(self.filepath))
        return self.import_number(context, self.filepath, cutseq, int(self.number or 0))


class EXPORT_SCENE_OT_tomb_raider_cutscenes(FileExport):
    """Write cutscenes into a cutscene file of the game, or a new one. All others stay the same"""

    bl_idname = "export_scene.tomb_raider_cutscenes"
    bl_label = "Export Tomb Raider Cutscenes"

    filter_glob: StringProperty(default=_FILES, options={"HIDDEN"})
    collection: StringProperty(
        name="Cutscene",
        description="Collection of a cutscene, or of a level for all its cutscenes. Empty: all",
        options={"SKIP_SAVE"},
    )
    rebuild: BoolProperty(
        name="Rebuild Everything",
        description="Rebuild every part of the cutscenes from the scene, including unedited parts",
        options={"SKIP_SAVE"},
    )

    requires = condition(
        lambda context: any(cutscenes_of(level) for level in scene_levels(context)),
        T("There is no cutscene in this scene"),
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        if not self.filepath:
            self.filepath = _suggested_path(self._chosen(context))
        return browse(self, context)

    def draw(self, _context: Context) -> None:
        draw_settings(self, "collection", "rebuild")

    def write(self, context: Context, path: Path, mode: UserMode) -> tuple[str, Sequence[str]]:
        cutscenes = self._chosen(context)
        cutseq, is_new = _base(str(path), cutscenes)
        mode.leave()
        summaries, warnings = self._put(cutseq, cutscenes)
        if is_new:
            warnings.append(about(path.name, T("a new file, which has only the cutscenes of this scene")))
        replace_file(path, cutseq.to_bytes())
        for cutscene in cutscenes:
            cutscene.tomb_raider.cutscene.source = str(path)
        return about(path.name, joined(", ", summaries)), warnings

    def _chosen(self, context: Context) -> list[Collection]:
        """Return the cutscenes to export."""
        if self.collection:
            named: Any = bpy.data.collections.get(self.collection)
            if named is None or named.tomb_raider.kind not in (Kind.CUTSCENE, Kind.LEVEL):
                raise ExportError(self.collection, T("no cutscene or level has this name"))
            result = [named] if named.tomb_raider.kind == Kind.CUTSCENE else cutscenes_of(named)
        else:
            result = [cutscene for level in scene_levels(context) for cutscene in cutscenes_of(level)]
        if not result:
            raise ExportError(self.collection or T("Export"), T("there is no cutscene here"))
        by_number: dict[int, Collection] = {}
        for cutscene in result:
            other = by_number.setdefault(cutscene.tomb_raider.cutscene.number, cutscene)
            if other != cutscene:
                number = cutscene.tomb_raider.cutscene.number
                text = T(
                    "it has the number {number}, as {other}: give it another", number=number, other=other.name
                )
                raise ExportError(cutscene.name, text)
        return result

    def _put(self, cutseq: "Cutseq", cutscenes: list[Collection]) -> tuple[list[str], list[str]]:
        """Write cutscenes into a file. Returns summaries of the changes, and warnings."""
        from ...scene.subjects.cutscenes import export_cutscene

        bpy.context.view_layer.update()
        summaries: list[str] = []
        warnings: list[str] = []
        for cutscene in cutscenes:
            level = level_with(cutscene)
            if level is None:
                raise ExportError(cutscene.name, T("it belongs to no level"))
            exported = export_cutscene(cutscene, level.tomb_raider.scale, rebuild=self.rebuild)
            cutseq.replace(cutscene.tomb_raider.cutscene.number, exported.content)
            unchanged = T("{name}: same as the original", name=cutscene.name)
            summaries.append(exported.rebuilt.summary() if exported.rebuilt else unchanged)
            warnings += exported.report.warnings
        return summaries, warnings


def _game_of(cutscenes: list[Collection]) -> Game:
    level = next(filter(None, map(level_with, cutscenes)), None)
    return Game.TR4 if level is None else game_of(level)


def _suggested_path(cutscenes: list[Collection]) -> str:
    """Return the file that cutscenes came from, or where their game would read them: beside the level."""
    sources = [cutscene.tomb_raider.cutscene.source for cutscene in cutscenes]
    source = next(filter(None, sources), "")
    if source:
        return source
    level = next(filter(None, map(level_with, cutscenes)), None)
    folder = "" if level is None else bpy.path.abspath(level.tomb_raider.folder)
    return os.path.join(folder, _NAMES[_game_of(cutscenes)])


def _base(path: str, cutscenes: list[Collection]) -> tuple["Cutseq", bool]:
    """Return the file whose cutscenes are replaced, and whether it is a new one.

    It is the target, else the source of a cutscene, else a new file of the game.
    """
    from ...formats.levels.cutscenes import new_cutseq, read_cutseq

    if not os.path.basename(path):
        raise ExportError(T("Export"), T("no file was chosen to export to"))
    if os.path.exists(path):
        return read_cutseq(read_file(path)), False
    sources = [bpy.path.abspath(cutscene.tomb_raider.cutscene.source) for cutscene in cutscenes]
    source = next((path for path in sources if path and os.path.exists(path)), None)
    if source is not None:
        return read_cutseq(read_file(source)), False
    return new_cutseq(_game_of(cutscenes)), True


class TOMB_RAIDER_OT_new_cutscene(EditingTool):
    """Make a cutscene of the selected models and entities, with the selected camera or a new one"""

    bl_idname = "tomb_raider.new_cutscene"
    bl_label = "New Tomb Raider Cutscene"

    number: IntProperty(
        name="Number",
        min=0,
        description="Number of the cutscene in triggers. 0: the first free number in this scene",
        options={"SKIP_SAVE"},
    )

    requires = (
        condition(
            lambda context: any(
                obj.tomb_raider.kind in (Kind.MODEL, Kind.ENTITY) for obj in context.selected_objects
            ),
            T("Select Lara and other models or entities in Object Mode"),
        )
        + ONLY_OBJECT_MODE
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cutscenes import model_of, new_cutscene

        objects = list(context.selected_objects)
        cameras = [obj for obj in objects if obj.type == "CAMERA" and obj.tomb_raider.kind == Kind.NONE]
        level = next((level_of(obj) for obj in objects if model_of(obj) is not None), None)
        scene = context.scene
        if level is None:
            raise ExportError("cutscene", T("select Lara and other models or entities of a level"))
        used = {cutscene.tomb_raider.cutscene.number for cutscene in cutscenes_of(level)}
        number = self.number or next(number for number in count(1) if number not in used)
        cutscene = new_cutscene(
            level, number, objects, next(iter(cameras), None), (scene.frame_start, scene.frame_end)
        )
        actors = [obj for obj in cutscene.objects if obj.tomb_raider.kind == Kind.CUTSCENE_ACTOR]
        select_only(context, sorted(actors, key=lambda actor: actor.tomb_raider.index))
        text = T(
            "{name}: frames {frame_start} to {frame_end}",
            name=cutscene.name,
            frame_start=scene.frame_start,
            frame_end=scene.frame_end,
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _add_entry(menu: Menu, context: Context) -> None:
    if scene_levels(context):
        menu.layout.operator("tomb_raider.new_cutscene", text="Tomb Raider Cutscene", icon="VIEW_CAMERA")


_CLASSES = (
    IMPORT_SCENE_OT_tomb_raider_cutscene,
    TOMB_RAIDER_OT_choose_cutscene,
    EXPORT_SCENE_OT_tomb_raider_cutscenes,
    TOMB_RAIDER_OT_new_cutscene,
)
_ENTRIES: Entries = (("VIEW3D_MT_add", _add_entry),)


register, unregister = with_entries(_CLASSES, _ENTRIES)
