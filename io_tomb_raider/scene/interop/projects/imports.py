"""Import of projects of level editors: their compiled levels."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

import numpy as np
from bpy.types import Collection

from ....formats import FormatError
from ....formats.base import N_, T, Target, file_content, name_key
from ....formats.editors.projects import (
    ENDINGS,
    TARGETS,
    Compiled,
    CompileTarget,
    GameVersion,
    MissingFile,
    Project,
    compile_steps,
    is_prj,
    missing_files,
    moved_folder,
    pack_origin,
    paths_of,
    read_any_project,
    readable,
    target_of,
    version_of,
)
from ...core import original
from ...core.context import ImportContext, ImportOptions
from ...core.membership import members_of
from ...core.order import ordered
from ...core.original import ORIGIN
from ...core.reporting.progress import Listener, Work, finish, scaled
from ...core.subjects import Kind
from ...pipeline.importer import import_steps
from .files import resources_of
from .models import room_parts
from .objects import show_objects
from .sources import sinks_of_project
from .status import store, store_target


class ImportedProject(NamedTuple):
    """A project that was imported."""

    context: ImportContext  #: of the import of its level.
    missing: list[MissingFile]  #: the files that were not found.


def import_project(
    path: Path,
    options: ImportOptions | None = None,
    search: Path | None = None,
    target: str = "",
    *,
    cinematic: bool = False,
    with_hooks: bool = False,
    listener: Listener | None = None,
) -> ImportedProject:
    """Compile a project and import the level into the current scene.

    Args:
        search: a folder in which missing files are searched by their names.
        target: a name of PROJECT_TARGETS, "" for the target of the project.
        cinematic: for TRX, flyby cameras become the frames of a cutscene.

    Raises:
        FormatError: if a file is damaged. The scene is then unchanged.
        ExportError: if no level can hold the project, or its target is not known.
        OSError: if the project cannot be read.
    """
    return finish(
        import_project_steps(path, options, search, target, cinematic=cinematic, with_hooks=with_hooks),
        listener,
    )


def import_project_steps(
    path: Path,
    options: ImportOptions | None = None,
    search: Path | None = None,
    target: str = "",
    *,
    cinematic: bool = False,
    with_hooks: bool = False,
) -> Work[ImportedProject]:
    """Import a project step by step, see :func:`import_project`."""
    yield T("Reading"), 0.0
    data = file_content(path)
    project = read_any_project(data)
    resources = resources_of(project.settings, path, moved_folders(project, path, search))
    steps = compile_steps(
        project, resources, compile_target(project, target, cinematic=cinematic), keep_missing=True
    )
    compiled = yield from scaled(steps, 0.0, COMPILED)
    level = compiled.level
    name = f"{path.stem}.{ENDINGS[level.game]}"
    options = options or ImportOptions()
    parts = room_parts(project, compiled.origin, float(np.float32(options.scale)))
    options = replace(options, parts=parts, sinks=sinks_of_project(project, compiled.origin.cameras))
    level.compression = 0  # exports compress it
    imports = import_steps(level.to_bytes(), options, name, with_hooks=with_hooks)
    context = yield from scaled(imports, COMPILED, 1.0)
    root = context.root
    kept = project.to_bytes() if is_prj(data) else data
    original.store_files(root, {original.PROJECT: kept, ORIGIN: pack_origin(compiled.origin)})
    root.tomb_raider.folder = str(path.parent)
    missing = {each.path: each.use for each in resources.missing}
    searched = "" if search is None else str(search)
    store(root, _details(project, path, target), readable(project), searched, missing)
    store_target(root, target, cinematic=cinematic)
    if target and TARGETS[target].engine is Target.TRX:
        root.tomb_raider.engine = Target.TRX.name
    _name_rooms(root, project, compiled)
    show_objects(root, project, compiled.origin)
    for text in compiled.log.warnings:
        context.report.warn(path.name, text)
    return ImportedProject(context, resources.missing)


def compile_target(project: Project, name: str, *, cinematic: bool) -> CompileTarget:
    """Return the target with a name, "" for that of a project. Raises ExportError if that is not known."""
    target = TARGETS[name] if name else target_of(project.settings.game_version)
    return target._replace(cinematic=cinematic)


def has_known_target(path: Path) -> bool:
    """Return whether the target of a project is known, also for files that cannot be read."""
    try:
        return version_of(file_content(path)) in list(GameVersion)
    except (FormatError, OSError):
        return True


def _details(project: Project, path: Path, chosen: str) -> dict[str, str]:
    version = project.settings.game_version
    target = chosen or GameVersion(version).name
    return {
        N_("Project"): path.name,
        N_("Target"): target if chosen or version != GameVersion.TOMB_ENGINE else "TombEngine",
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


COMPILED = 0.5  # fraction of an import that is done after the compilation


def moved_folders(project: Project, path: Path, search: Path | None) -> dict[str, Path]:
    """Return the folders of a project's missing files, and where files of these names are."""
    if search is None:
        return {}
    paths = paths_of(project.settings, path)
    by_name: dict[str, Path] = {}
    for folder, _, file_names in os.walk(search):
        for name in file_names:
            by_name.setdefault(name_key(name), Path(folder, name))
    result: dict[str, Path] = {}
    for missing in missing_files(project.settings, paths):
        old_path = paths.expand(missing.path)
        new_path = by_name.get(name_key(PureWindowsPath(old_path).name))
        if new_path is not None:
            moved = moved_folder(old_path, new_path)
            result.setdefault(moved.old, moved.new)
    return result
