"""Projects of level editors in the scene: compiled and imported as levels, and saved with the scene's edits.

The project is stored next to the level that was compiled from it, with the origin of the level's parts. An
export compares that level with the scene, and writes what differs into the project.
"""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bpy.types import Collection

from ....catalogue import names
from ....formats import ExportError, FormatError, Level
from ....formats.base import T, Target, plural, replace_file
from ....formats.editors.projects import (
    ENDINGS,
    FOLDER,
    Compiled,
    Log,
    Project,
    RoomReport,
    Updated,
    compile_steps,
    missing_files,
    paths_of,
    project_of,
    read_project,
    unpack_origin,
    update_project,
)
from ....formats.editors.rules import check_project
from ....formats.edits.checks import weigh
from ....formats.levels.textures import PAGE_SIZE
from ....formats.levels.views import Decoded
from ...core import original
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
from .files import resources_of
from .imports import COMPILED, compile_target, moved_folders
from .models import placed_models
from .objects import put_objects
from .sources import sinks_of, sources_of
from .status import details, is_project, search_folder, target_of_project

_LARGEST_TEXTURE = 16384  # rows that Direct3D 11 draws


class SavedProject(NamedTuple):
    """A project that was written."""

    files: list[str]  #: the names of the files beside it.
    rooms: list[RoomReport]  #: of a level that was no project before, what became of its rooms; else empty.

    def summary(self) -> str:
        """Return what was written, for a report."""
        beside = plural("one file next to it", "{count} files next to it", len(self.files))
        if not self.rooms:
            if not self.files:
                return T("edits saved in the project")
            return T("edits saved, {others}", others=beside)
        faces, built = sum(each.faces for each in self.rooms), sum(each.editor_faces for each in self.rooms)
        percent = 100 * built // faces if faces else 100
        return T("{percent} % of the faces follow from the sectors, {others}", percent=percent, others=beside)


def export_project(
    root: Collection, path: Path, *, report: Report, keep_light: bool = True, listener: Listener | None = None
) -> SavedProject:
    """Write a level as a project: the one that it comes from with its edits, or a new one.

    Args:
        path: the project to write. Other files are written beside it.
        keep_light: of a level that is no project: keep the light of vertices.

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
    rooms = list[RoomReport]()
    edited = _edited(root, exported, path.stem)
    if edited is not None:
        project, updated = edited
        report.warn_all(path.name, updated.notes)
        files = updated.files
    else:
        project, files, rooms = _new_project(root, exported, path, report, keep_light=keep_light)
    main = project.to_bytes()
    yield T("Writing"), 1.0
    for name, content in files.items():
        target = path.parent / name
        target.parent.mkdir(exist_ok=True)
        replace_file(target, content)
    replace_file(path, main)
    if edited is not None:
        _warn_of_left(root, project, path, report)
    return SavedProject(list(files), rooms)


def _new_project(
    root: Collection, exported: ExportResult, path: Path, report: Report, *, keep_light: bool
) -> tuple[Project, dict[str, bytes], list[RoomReport]]:
    """Return a project of a level that was none before, the files beside it, and what became of its rooms."""
    level = exported.level
    decoded = Decoded(level)
    target = target_of_level(root, decoded)
    objects = f"{path.stem}_objects.{ENDINGS[level.game]}"
    result = project_of(
        Decoded(level, target) if target is Target.TRX else decoded,
        path.stem,
        FOLDER + objects,
        [obj.name for obj, _ in ordered(members_of(root, Kind.ROOM))],
        keep_light=keep_light,
        sinks=sinks_of(exported),
        sound_name=names(level.game).sound,
    )
    _warn(result.project, result.rooms, report)
    height = PAGE_SIZE * len(decoded.texels)
    if result.project.settings.imported_geometries and height > _LARGEST_TEXTURE:
        report.warn(
            path.name,
            T(
                "Tomb Editor shows imported geometry in red, since the picture of all texture pages has "
                "more than {limit} rows; the level that it compiles has the textures",
                limit=_LARGEST_TEXTURE,
            ),
        )
    if result.lost_sounds:
        report.warn(
            path.name,
            plural(
                "one sound is not in the sound catalog: its samples are missing or in another order",
                "{count} sounds are not in the sound catalog: their samples are missing or in another order",
                len(result.lost_sounds),
            ),
        )
    return result.project, {**result.files, objects: level.to_bytes()}, result.rooms


def _warn_of_left(root: Collection, project: Project, path: Path, report: Report) -> None:
    """Warn of files that a project in another folder does not find: its paths may begin at its own one."""
    old_folder = Path(root.tomb_raider.folder)
    if not root.tomb_raider.folder or path.parent.resolve() == old_folder.resolve():
        return
    missing_before = set(missing_files(project.settings, paths_of(project.settings, old_folder / path.name)))
    for missing in missing_files(project.settings, paths_of(project.settings, path)):
        if missing not in missing_before:
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

    Returns:
        The lines of the compilation's log.

    Raises:
        ExportError: if the level comes from no project, or the game cannot hold something.
        FormatError: if a stored file is damaged.
        OSError: if a file cannot be read or written.
    """
    exported = export_level(root, with_hooks=True, report=report, listener=listener)
    yield T("Project"), COMPILED
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
        moved_by_search = moved_folders(project, source, Path(search) if search else None)
        moved = {f"{source.parent}/": Path(folder), **moved_by_search}
        resources = resources_of(project.settings, source, moved)
        name, cinematic = target_of_project(root)
        target = compile_target(project, name, cinematic=cinematic)
        steps = compile_steps(project, resources, target)
        compiled = yield from scaled(steps, COMPILED, 1.0)
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
    """Return the project of a level with the edits of the scene, None without a project."""
    stored = _stored(root, exported.level)
    if stored is None:
        return None
    project, compiled = stored
    updated = _update(root, exported, project, compiled, name)
    put_objects(root, project, exported, updated)
    return project, updated


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
