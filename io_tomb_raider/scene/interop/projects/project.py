"""Projects of level editors in the scene: compiled and imported as levels, and saved with the scene's edits.

The project is stored next to the level that was compiled from it, with the origin of the level's parts. An
export compares that level with the scene, and writes what differs into the project.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from bpy.types import Collection

from ....catalogue import names
from ....formats import ExportError, FormatError, Level
from ....formats.base import N_, T, Target, file_content, name_key, plural, replace_file
from ....formats.editors.projects import (
    ENDINGS,
    FOLDER,
    Compiled,
    GameVersion,
    Log,
    MissingFile,
    Project,
    RoomReport,
    Updated,
    compile_steps,
    is_prj,
    missing_files,
    moved_folder,
    pack_origin,
    paths_of,
    project_of,
    read_any_project,
    read_project,
    readable,
    unpack_origin,
    update_project,
)
from ....formats.editors.rules import check_project
from ....formats.edits.checks import weigh
from ....formats.levels.textures import PAGE_SIZE
from ....formats.levels.views import Decoded
from ...core import original
from ...core.context import ImportContext, ImportOptions
from ...core.membership import members_of
from ...core.order import ordered
from ...core.original import ORIGIN
from ...core.reporting.progress import Listener, Work, finish, scaled
from ...core.reporting.report import Report
from ...core.reporting.results import ExportResult
from ...core.space import Space
from ...core.subjects import Kind
from ...core.targets import target_of_level
from ...pipeline.checks.check import SEVERITIES
from ...pipeline.checks.notes import Note, of_error
from ...pipeline.exporter import export_level
from ...pipeline.importer import import_steps
from .files import resources_of
from .models import placed_models, room_parts
from .sources import sinks_of, sinks_of_project, sources_of
from .status import details, is_project, search_folder, store

_LARGEST_TEXTURE = 16384  # rows that Direct3D 11 draws


_COMPILED = 0.5  # fraction of an import that is done after the compilation


class ImportedProject(NamedTuple):
    """A project that was imported."""

    context: ImportContext  #: of the import of its level.
    missing: list[MissingFile]  #: the files that were not found.


def import_project(
    path: Path,
    options: ImportOptions | None = None,
    search: Path | None = None,
    *,
    with_hooks: bool = False,
    listener: Listener | None = None,
) -> ImportedProject:
    """Compile a project and import the level into the current scene.

    Args:
        path: the project.
        options: what to import.
        search: a folder in which missing files are searched by their names.
        with_hooks: call the hooks of other add-ons.
        listener: called at the start of every step.

    Raises:
        FormatError: if a file is damaged. The scene is then unchanged.
        ExportError: if no level can hold the project.
        OSError: if the project cannot be read.
    """
    return finish(import_project_steps(path, options, search, with_hooks=with_hooks), listener)


def import_project_steps(
    path: Path, options: ImportOptions | None = None, search: Path | None = None, *, with_hooks: bool = False
) -> Work[ImportedProject]:
    """Import a project step by step, see :func:`import_project`."""
    yield T("Reading"), 0.0
    data = file_content(path)
    project = read_any_project(data)
    resources = resources_of(project.settings, path, _moved(project, path, search))
    compiled = yield from scaled(compile_steps(project, resources, keep_missing=True), 0.0, _COMPILED)
    level = compiled.level
    name = f"{path.stem}.{ENDINGS[level.game]}"
    options = options or ImportOptions()
    parts = room_parts(project, compiled.origin, float(np.float32(options.scale)))
    options = replace(options, parts=parts, sinks=sinks_of_project(project, compiled.origin.cameras))
    level.compression = 0  # exports compress it
    imports = import_steps(level.to_bytes(), options, name, with_hooks=with_hooks)
    made = yield from scaled(imports, _COMPILED, 1.0)
    root = made.root
    kept = project.to_bytes() if is_prj(data) else data
    original.store_files(root, {original.PROJECT: kept, ORIGIN: pack_origin(compiled.origin)})
    root.tomb_raider.folder = str(path.parent)
    missing = {each.path: each.use for each in resources.missing}
    searched = "" if search is None else str(search)
    store(root, _details(project, path), readable(project), searched, missing)
    _name_rooms(root, project, compiled)
    for text in compiled.log.warnings:
        made.report.warn(path.name, text)
    return ImportedProject(made, resources.missing)


def _moved(project: Project, path: Path, search: Path | None) -> dict[str, Path]:
    """Return the folders of a project's missing files, and where files of these names are."""
    if search is None:
        return {}
    paths = paths_of(project.settings, path)
    wanted = {paths.expand(each.path): each for each in missing_files(project.settings, paths)}
    by_name: dict[str, Path] = {}
    for folder, _, found_names in os.walk(search):
        for name in found_names:
            by_name.setdefault(name_key(name), Path(folder, name))
    found: dict[str, Path] = {}
    for expanded in wanted:
        place = by_name.get(name_key(PureWindowsPath(expanded).name))
        if place is not None:
            moved = moved_folder(expanded, place)
            found.setdefault(moved.old, moved.new)
    return found


def _details(project: Project, path: Path) -> dict[str, str]:
    version = project.settings.game_version
    known = GameVersion(version).name if version in list(GameVersion) else str(version)
    return {
        N_("Project"): path.name,
        N_("Target"): "TombEngine" if version == GameVersion.TOMB_ENGINE else known,
        N_("Rooms"): str(len(project.rooms)),
        N_("Level"): project.settings.level_path,
        N_("Object Files"): ", ".join(project.settings.wads),
    }


def _name_rooms(root: Collection, project: Project, compiled: Compiled) -> None:
    """Name the objects of rooms as the project does."""
    names = {room.number: room.name for room in project.rooms}
    objects = ordered(members_of(root, Kind.ROOM))
    for (obj, _), number in zip(objects, compiled.origin.rooms, strict=False):
        if names.get(number):
            obj.name = names[number]


class SavedProject(NamedTuple):
    """A project that was written."""

    files: list[str]  #: the names of the files beside it.
    rooms: list[RoomReport]  #: of a level that was no project before, what became of its rooms; else empty.

    def summary(self) -> str:
        """Return what was written, for a report."""
        beside = plural("one file next to it", "{count} files next to it", len(self.files))
        if not self.rooms:
            return (
                T("edits saved in the project")
                if not self.files
                else T("edits saved, {others}", others=beside)
            )
        faces, built = sum(each.faces for each in self.rooms), sum(each.editor_faces for each in self.rooms)
        percent = 100 * built // faces if faces else 100
        return T("{percent} % of the faces follow from the sectors, {others}", percent=percent, others=beside)


def export_project(
    root: Collection, path: Path, *, report: Report, keep_light: bool = True, listener: Listener | None = None
) -> SavedProject:
    """Write a level as a project: the one that it comes from with its edits, or a new one.

    Args:
        path: the project to write. Other files are written beside it.
        report: collects warnings of what a project cannot have.
        keep_light: of a level that is no project: keep the light of vertices.
        listener: called at the start of every step.

    Raises:
        ExportError: if the game or the project cannot hold something of the scene.
        FormatError: if a stored file is damaged.
        OSError: if a file cannot be written.
    """
    return finish(export_project_steps(root, path, report=report, keep_light=keep_light, listener=listener))


def export_project_steps(
    root: Collection, path: Path, *, report: Report, keep_light: bool = True, listener: Listener | None = None
) -> Work[SavedProject]:
    """Write a level as a project step by step, see :func:`export_project`. Files are written in the last."""
    exported = export_level(root, with_hooks=True, report=report, listener=listener)
    yield T("Project"), 0.9
    level, rooms = exported.level, list[RoomReport]()
    edited = _edited(root, exported, path.stem)
    if edited is not None:
        project, updated = edited
        report.warn_all(path.name, updated.notes)
        files = updated.files
    else:
        decoded = Decoded(level)
        target = target_of_level(root, decoded)
        objects = f"{path.stem}_objects.{ENDINGS[level.game]}"
        made = project_of(
            Decoded(level, target) if target is Target.TRX else decoded,
            path.stem,
            FOLDER + objects,
            [obj.name for obj, _ in ordered(members_of(root, Kind.ROOM))],
            keep_light=keep_light,
            sinks=sinks_of(exported),
            sound_name=names(level.game).sound,
        )
        project, files, rooms = made.project, {**made.files, objects: level.to_bytes()}, made.rooms
        _warn(project, rooms, report)
        height = PAGE_SIZE * len(decoded.texels)
        if project.settings.imported_geometries and height > _LARGEST_TEXTURE:
            report.warn(
                path.name,
                T(
                    "Tomb Editor shows imported geometry in red, since the picture of all texture pages has "
                    "more than {limit} rows; the level that it compiles has the textures",
                    limit=_LARGEST_TEXTURE,
                ),
            )
        if made.lost_sounds:
            report.warn(
                path.name,
                plural(
                    "one sound is not in the sound catalog: its samples are missing or in another order",
                    "{count} sounds are not in the sound catalog: their samples are missing or in another "
                    "order",
                    len(made.lost_sounds),
                ),
            )
    main = project.to_bytes()
    yield T("Writing"), 1.0
    for name, content in files.items():
        place = path.parent / name
        place.parent.mkdir(exist_ok=True)
        replace_file(place, content)
    replace_file(path, main)
    if edited is not None:
        _warn_of_left(root, project, path, report)
    return SavedProject(list(files), rooms)


def _warn_of_left(root: Collection, project: Project, path: Path, report: Report) -> None:
    """Warn of files that a project in another folder does not find: its paths may begin at its own one."""
    before = Path(root.tomb_raider.folder)
    if not root.tomb_raider.folder or path.parent.resolve() == before.resolve():
        return
    known = set(missing_files(project.settings, paths_of(project.settings, before / path.name)))
    for missing in missing_files(project.settings, paths_of(project.settings, path)):
        if missing not in known:
            report.warn(
                path.name,
                T(
                    "from its new folder, it does not find {path} ({use}): copy the file along, or choose "
                    "its folder in Tomb Editor",
                    path=missing.path,
                    use=missing.use,
                ),
            )


def compile_edited_steps(
    root: Collection, path: Path, *, report: Report, listener: Listener | None = None
) -> Work[list[str]]:
    """Compile the project of a level with the edits of the scene, as the level editor does.

    Args:
        path: the level to write, in the last step.
        report: collects warnings.
        listener: called at the start of every step of the export.

    Returns:
        The lines of the compilation's log.

    Raises:
        ExportError: if the level comes from no project, or the game cannot hold something.
        FormatError: if a stored file is damaged.
        OSError: if a file cannot be read or written.
    """
    exported = export_level(root, with_hooks=True, report=report, listener=listener)
    yield T("Project"), _COMPILED
    # New files are only needed here; no project has files of such a name.
    edited = _edited(root, exported, f"edited_{token_hex(8)}")
    if edited is None:
        raise ExportError(root.name, T("it does not come from a project: export it as a level"))
    project, updated = edited
    report.warn_all(path.name, updated.notes)
    source = Path(root.tomb_raider.folder, details(root).get("Project", ""))
    search = search_folder(root)
    with TemporaryDirectory() as folder:
        for name, content in updated.files.items():
            Path(folder, name).write_bytes(content)
        # The end of a path has no meaning, so that a folder can be in two places.
        found = _moved(project, source, Path(search) if search else None)
        moved = {f"{source.parent}/": Path(folder), **found}
        resources = resources_of(project.settings, source, moved)
        compiled = yield from scaled(compile_steps(project, resources), _COMPILED, 1.0)
    report.warn_all(path.name, compiled.log.warnings)
    yield T("Writing"), 1.0
    replace_file(path, compiled.level.to_bytes())
    warned = set(compiled.log.warnings)
    return [line.text for line in compiled.log.lines if line.text not in warned]


def check_edited(root: Collection, exported: ExportResult) -> list[Note]:
    """Return what Tomb Editor does not load or compile of a level's project with the edits of the scene.

    What was in the project before is information only. There are no notes of levels that are no projects, or
    that were converted to another game.

    Raises:
        FormatError: if a stored file is damaged.
    """
    try:
        stored = _stored(root, exported.level)
    except ExportError:
        return []
    if stored is None:
        return []
    project, compiled = stored
    before = list(check_project(project))
    try:
        _update(root, exported, project, compiled, "edited")
    except ExportError as error:
        return [of_error(error)]
    names_of_rooms = {room.number: room.name for room in project.rooms}
    return [
        Note(
            SEVERITIES[each.severity],
            names_of_rooms.get(each.obj.number, root.name) if each.obj.kind == "room" else root.name,
            each.text,
        )
        for each in weigh(list(check_project(project)), before, lambda element: element)
    ]


def _edited(root: Collection, exported: ExportResult, name: str) -> tuple[Project, Updated] | None:
    """Return the project of a level with the edits of the scene, None without a project.

    Args:
        exported: the scene as a level.
        name: of new files, without ending.
    """
    stored = _stored(root, exported.level)
    if stored is None:
        return None
    project, compiled = stored
    return project, _update(root, exported, project, compiled, name)


def _update(
    root: Collection, exported: ExportResult, project: Project, compiled: Compiled, name: str
) -> Updated:
    """Put the edits of the scene into the project of a level; see :func:`_edited`."""
    models = None
    if "ROOMS" in root.tomb_raider.imported and compiled.origin.imported:
        models = placed_models(project, compiled, exported.parts, Space.of(root))
    sources = sources_of(exported, compiled.level)
    return update_project(project, compiled, Decoded(exported.level), name, models, sources)


def _stored(root: Collection, level: Level) -> tuple[Project, Compiled] | None:
    """Return the project of a level and the level that was compiled from it, None without a project.

    Raises:
        FormatError: if it is damaged.
        ExportError: if the level was converted to another game.
    """
    files = original.load_files(root) if is_project(root) else {}
    if original.PROJECT not in files or ORIGIN not in files:
        return None
    before = original.load(root)
    if before is None:
        raise FormatError(root.name, "the level that was compiled from its project", "none")
    if before.level.game is not level.game:
        raise ExportError(
            root.name,
            T("it was converted from {game}: import its project again", game=before.level.game.name),
        )
    return read_project(files[original.PROJECT]), Compiled(before.level, unpack_origin(files[ORIGIN]), Log())


def _warn(project: Project, rooms: list[RoomReport], report: Report) -> None:
    """Warn of what a project cannot have, by room."""
    for each in rooms:
        if each.lost_sectors:
            report.warn(
                each.name,
                plural(
                    "one sector has a floor or ceiling that the editor does not have",
                    "{count} sectors have a floor or ceiling that the editor does not have",
                    each.lost_sectors,
                ),
            )
        for lost in each.portals:
            report.warn(each.name, lost.text(project.rooms[lost.room], [room.name for room in rooms]))
        for other in each.ladders:
            report.warn(
                each.name,
                T("a wall that leads up to {other} does not do so in a project", other=rooms[other].name),
            )
        for text in each.lost_values:
            report.warn(each.name, text)
        if each.lost_alternate is not None:
            report.warn(
                each.name,
                T(
                    "{other} is not its alternate room in the project: a room there can be that of one other "
                    "room at its place, and has none itself",
                    other=rooms[each.lost_alternate].name,
                ),
            )
        if each.is_large:
            report.warn(
                each.name, T("it has more than 32 sectors on a side, the most that the editor recommends")
            )
        missing = sum(not lost.has_target for lost in each.lost_actions)
        if missing:
            report.warn(
                each.name,
                plural(
                    "one action of a trigger has no target",
                    "{count} actions of triggers have no target",
                    missing,
                ),
            )
        foreign = len(each.lost_actions) - missing
        if foreign:
            report.warn(
                each.name,
                plural(
                    "one action of a trigger is left out, since the editor has none such for the game",
                    "{count} actions of triggers are left out, since the editor has none such for the game",
                    foreign,
                ),
            )


def notes_of(rooms: list[RoomReport]) -> list[Note]:
    """Return what became of rooms as notes for the panel of checks."""
    return [
        Note(
            "INFO",
            each.name,
            T(
                "{percent} % of {count} faces follow from the sectors; the others are imported geometry",
                percent=each.percent,
                count=each.faces,
            ),
        )
        for each in rooms
        if each.editor_faces < each.faces
    ]
