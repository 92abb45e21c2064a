"""Times for a file with many levels: import of another one, export, undo, save and open."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider.formats import write_level
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level

from .blend_blocks import subjects_of
from .floor import Floor
from .recording import Recording, record_scene
from .scenes import empty_file, without_handlers
from .timing import Times

LEVELS = 20
_ASKED = (1, 2, 6, 10, LEVELS)  # the numbers of levels at which the floor is measured, too


def measure_many(levels: Sequence[Path], runs: int) -> dict[str, Any]:
    """Measure imports into a growing file, and work on the whole file.

    Args:
        levels: the file gets :data:`LEVELS` of them, in turn.
        runs: the number of runs of work that leaves the file unchanged.

    Returns:
        ``imports``: by number of levels, the seconds of the first level's ``import`` and of its ``floor`` in
            that file. ``one``, ``all``: seconds of work on a file with the first level alone, and with all:
            ``export`` of the first level, ``undo`` with its undo push, ``save``, ``open``; ``blender``, the
            last three without the extension's handlers; the ``size`` of the file in bytes, its ``parts`` by
            subject, ``packed`` the size of a compressed one, and its ``objects``. ``bytes``: of the first
            level. ``levels``: the final number.
    """
    first = levels[0]
    empty_file()
    import_level(first)  # loads modules and add-ons
    recording = record_scene()
    empty_file()
    found: dict[str, Any] = {"imports": {}, "bytes": first.stat().st_size, "levels": LEVELS}
    with tempfile.TemporaryDirectory() as folder:
        scene, files = Path(folder) / "scene.blend", {name: Path(folder) / name for name in ("one", "all")}
        for number, path in zip(range(1, LEVELS + 1), itertools.cycle(levels), strict=False):
            if number in _ASKED:
                found["imports"][str(number)] = _beside_floor(first, recording, scene, runs)
            root = import_level(path).root
            if number == 1:
                name = root.name
                _save(files["one"])
        _save(files["all"])
        return found | _in_turn(files, name, scene, runs)


def _beside_floor(path: Path, recording: Recording, scene: Path, runs: int) -> dict[str, float]:
    """Import a level into the file, and make its floor there; leave the file unchanged."""
    times = Times()
    _save(scene)
    for _ in range(runs):
        _open(scene)
        times.take("import", lambda: import_level(path))
        _open(scene)
        times.take("floor", Floor(recording).make)
    _open(scene)
    return times.least()


def _save(scene: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=False, copy=True)


def _open(scene: Path) -> None:
    """Open a file and evaluate its visible objects, as a window does."""
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    bpy.context.view_layer.update()


def _in_turn(files: Mapping[str, Path], level: str, scene: Path, runs: int) -> dict[str, dict[str, Any]]:
    """Do users' work on files in turn, so that a slow machine affects all of them.

    Args:
        files: the files by name.
        level: the root collection to export from each.
        scene: a file to save to.
        runs: the number of runs.
    """
    times = {name: Times() for name in files}
    alone = {name: Times() for name in files}
    sizes: dict[str, dict[str, Any]] = {}
    for _ in range(runs):
        for name, path in files.items():
            _open(path)
            _work(level, scene, times[name], alone[name])
            if name not in sizes:
                sizes[name] = _sizes(scene)
    return {name: {**times[name].least(), **sizes[name], "blender": alone[name].least()} for name in files}


def _work(level: str, scene: Path, times: Times, alone: Times) -> None:
    """Do users' work on the open file and leave it open, with and without the extension's handlers."""

    def export() -> None:
        write_level(export_level(bpy.data.collections[level]).level, scene.with_suffix(".level"))

    def undo() -> None:
        bpy.ops.ed.undo_push(message="Before")
        bpy.context.scene.frame_end += 1
        bpy.ops.ed.undo_push(message="After")
        bpy.ops.ed.undo()

    times.take("export", export)
    for which, handlers in ((times, nullcontext()), (alone, without_handlers())):
        with handlers:
            which.take("undo", undo)
            which.take("save", lambda: _save(scene))
            which.take("open", lambda: _open(scene))


def _sizes(scene: Path) -> dict[str, Any]:
    """Return the size of the open, saved file and of its parts."""
    size, parts = scene.stat().st_size, subjects_of(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=True, copy=True)
    packed = scene.stat().st_size
    return {"size": size, "packed": packed, "parts": parts, "objects": len(bpy.data.objects)}
