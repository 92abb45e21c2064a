"""Operators that import and export sound files: MAIN.SFX, CDAUDIO.WAD and the Macintosh's CDAudio.db."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Operator, PropertyGroup, UILayout

from ...formats import ExportError, FormatError
from ...formats.base import N_, T, about, read_file, replace_file
from ..base.files.browsing import FileBrowser, browse
from ..base.files.file_tools import FileExport, FileImport, file_filter
from ..base.layout.panels import Rows, split_layout
from ..base.modes import UserMode
from ..base.reports import Outcome, ToolError, plain, report_line, report_result
from ..base.text.i18n import translate
from ..base.text.words import numbers_in
from .operators import AUDIO_FILES

_SUFFIXES = (".sfx", ".wad", ".db")


class TombRaiderSoundEntry(PropertyGroup):
    """A sound of the file that the file browser shows."""

    number: IntProperty(name="Number", description="Number in the file")
    size: IntProperty(name="Size", description="Size in bytes")
    is_chosen: BoolProperty(name="Import", default=True, description="Import this sound")


class TOMB_RAIDER_UL_sound_entries(Rows):
    """List of the sounds of a file, with check boxes."""

    bl_idname = "TOMB_RAIDER_UL_sound_entries"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row()
        row.prop(item, "is_chosen", text="")
        row.label(text=f"{item.number}  {item.name}")
        row.label(text=translate(T("{size:.0f} kB", size=item.size / 1024) if item.size else T("no file")))


class IMPORT_SCENE_OT_tomb_raider_sounds(FileImport, Operator):
    """Import sounds of MAIN.SFX (Tomb Raider II and III), or sound tracks of CDAUDIO.WAD (III)"""

    bl_idname = "import_scene.tomb_raider_sounds"
    bl_label = "Import Tomb Raider Sounds"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: file_filter(*_SUFFIXES)
    numbers: StringProperty(
        name="Entries",
        description="Numbers to import, such as 3, 7-9. Empty: the selection in the list, or all",
        options={"SKIP_SAVE"},
    )
    entries: CollectionProperty(type=TombRaiderSoundEntry, options={"HIDDEN", "SKIP_SAVE"})
    active: IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    listed: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Any:
        self.check(context)
        return self.invoke_popup(context)

    def check(self, _context: Context) -> bool:
        """List the sounds of the file selected in the file browser."""
        path = Path(bpy.path.abspath(self.filepath))
        if str(path) == self.listed or not path.is_file():
            return False
        self.listed = str(path)
        self.entries.clear()
        for entry in _entries_of(path):
            item = self.entries.add()
            item.name, item.number, item.size = entry.name, entry.number, min(entry.size, 0x7FFFFFFF)
        return True

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.prop(self, "numbers")
        column = layout.column()
        column.active = not self.numbers
        column.template_list("TOMB_RAIDER_UL_sound_entries", "", self, "entries", self, "active", rows=12)

    def load(self, _context: Context, path: str) -> None:
        from ...scene.subjects.sounds import import_sound_file

        file = Path(path)
        sounds, report = import_sound_file(file, self._chosen(file))
        report_result(self, T("{file}: {count} sounds", file=file.name, count=len(sounds)), report.warnings)

    def _chosen(self, path: Path) -> set[int] | None:
        numbers = numbers_in(self.numbers)
        if numbers is None and len(self.entries) and self.listed == str(path):
            return {entry.number for entry in self.entries if entry.is_chosen}
        return numbers


def _entries_of(path: Path) -> Iterable[Any]:
    """Return the entries of a file; none if it is no sound file, as while the user is browsing."""
    from ...scene.subjects.sounds import list_entries

    try:
        return list_entries(path)
    except (FormatError, OSError):
        return ()


def _known_files(_self: Operator, _context: Context, text: str) -> list[str]:
    from ...scene.subjects.sounds import known_files

    return [path for path in known_files() if text.lower() in path.lower()]


class EXPORT_SCENE_OT_tomb_raider_sounds(FileExport):
    """Export a sound file with changed sounds. All others stay the same, byte for byte"""

    bl_idname = "export_scene.tomb_raider_sounds"
    bl_label = "Export Tomb Raider Sounds"

    check_extension = None
    filter_glob: file_filter(*_SUFFIXES)
    source: StringProperty(
        name="Original",
        description="File of the import, from which unchanged sounds are copied",
        search=_known_files,
        search_options=set(),
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        from ...scene.subjects.sounds import known_files

        sources = known_files()
        if not self.source and sources:
            self.source = sources[0]
        if not self.source:
            raise ToolError(T("The scene has no sounds of such a file: import some first"))
        if not self.filepath:
            self.filepath = bpy.path.abspath(self.source)
        return browse(self, context)

    def draw(self, _context: Context) -> None:
        split_layout(self).prop(self, "source", icon="FILE_SOUND")

    def write(self, _context: Context, path: Path, _mode: UserMode) -> tuple[str, Sequence[str]]:
        from ...scene.subjects.sounds import known_files

        sources = known_files()
        source = self.source or (sources[0] if len(sources) == 1 else "")
        if not source:
            raise ExportError(T("Export"), T("choose the file that the sounds were imported from"))
        if not path.name:
            raise ExportError(T("Export"), T("no file was chosen to export to"))
        outcome, warnings = _write(Path(bpy.path.abspath(source)), path)
        return about(path.name, outcome), warnings


class TOMB_RAIDER_OT_add_to_sound_file(FileBrowser, Operator):
    """Add a sound to a sound file. Exports of the file include it"""

    bl_idname = "tomb_raider.add_to_sound_file"
    bl_label = "Add to Sound File"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("{file} was not added: {error}")

    filter_glob: StringProperty(default=AUDIO_FILES, options={"HIDDEN"})
    target: StringProperty(
        name="Sound File",
        description="MAIN.SFX or CDAUDIO.WAD, whose sounds are in the scene",
        search=_known_files,
        search_options=set(),
        options={"SKIP_SAVE"},
    )

    def execute(self, _context: Context) -> Outcome:
        from ...scene.subjects.sounds import add_to_file

        path = Path(bpy.path.abspath(self.filepath))
        if not self.target:
            raise ExportError(path.name, T("choose its sound file"))
        target = Path(bpy.path.abspath(self.target))
        sound = add_to_file(target, plain(path.stem), read_file(path))
        text = T(
            "{sound} will be number {number} of {target}",
            sound=sound.name,
            number=sound.tomb_raider.number,
            target=target.name,
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _write(source: Path, target: Path) -> tuple[str, list[str]]:
    """Write a sound file, and update the scene. Returns the summary, and warnings."""
    from ...scene.subjects.sounds import MainSfxExport, export_sound_file, kind_of_file, note_as_written

    if kind_of_file(source) == "MAIN_SFX":
        export = MainSfxExport(source)
        replace_file(target, export.written.content)
        export.note(target)
        names = ", ".join(root.name for root in export.renumbered)
        warnings = [*export.written.report.warnings]
        if names:
            warnings.append(T("{names}: new samples were numbered, so export the level, too", names=names))
        return export.written.rebuilt.summary(), warnings
    written = export_sound_file(source)
    for name, content in written.tracks.items():
        replace_file(target.parent / name, content)
    replace_file(target, written.content)
    note_as_written(written, source, target)
    return written.rebuilt.summary(), written.report.warnings


_CLASSES = (
    TombRaiderSoundEntry,
    TOMB_RAIDER_UL_sound_entries,
    IMPORT_SCENE_OT_tomb_raider_sounds,
    EXPORT_SCENE_OT_tomb_raider_sounds,
    TOMB_RAIDER_OT_add_to_sound_file,
)


_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    # Index in bpy.data.sounds of the active row in the list of sound files.
    bpy.types.WindowManager.tomb_raider_sound = IntProperty(name="Active Sound", options={"SKIP_SAVE"})


def unregister() -> None:
    del bpy.types.WindowManager.tomb_raider_sound
    _unregister()
