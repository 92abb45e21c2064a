"""What a file costs that holds many levels already: to import one more, to export, undo, save and open it."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider import ui
from io_tomb_raider.formats import write_level
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level

from .blend_blocks import subjects_of
from .floor import Floor
from .recording import Recording, record_scene
from .scenes import empty_file
from .timing import Times

LEVELS = 20
_ASKED = (1, 2, 5, 10, LEVELS)  # after how many levels, this one included, the floor is measured, too


def measure_many(levels: Sequence[Path], runs: int) -> dict[str, Any]:
    """Measure imports into a file that holds more and more levels, and what is done with them all.

    Args:
        levels: the file gets :data:`LEVELS` of them, one after another and from the first again.
        runs: how often is done what leaves the file as it was.

    Returns:
        ``imports``: by how many levels there are then, the seconds of the first level's ``import`` and of its
        ``floor`` in that state of the file. ``one``, ``all``: seconds of what is done with a file that holds
        the first level alone, and all: ``export`` of the first level, ``undo`` and the note before it,
        ``save``, ``open``; ``blender``, what the last three take without the extension's handlers; the
        ``size`` of the file in bytes, its ``parts`` by subjects, ``packed`` the size
        of a compressed one, and its ``objects``. ``bytes``: of the first level. ``levels``: how many there
        are at last.
    """
    first = levels[0]
    empty_file()
    import_level(first)  # what is loaded once
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
    """Import a level beside what the file has, and make its floor there; leave the file as it was."""
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
    """Open a file as a window does, which works out at once what it shows."""
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    bpy.context.view_layer.update()


def _in_turn(files: Mapping[str, Path], level: str, scene: Path, runs: int) -> dict[str, dict[str, Any]]:
    """Do with files what users do, one file after the other, so that a slow machine meets both.

    Args:
        files: what is opened, by names.
        level: the root collection of what is exported from each.
        scene: a file to save to.
        runs: how often.
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
    """Do with the open file what users do, and leave it open: also without the extension's handlers."""

    def export() -> None:
        write_level(export_level(bpy.data.collections[level]).level, scene.with_suffix(".level"))

    def undo() -> None:
        bpy.ops.ed.undo_push(message="Before")
        bpy.context.scene.frame_end += 1
        bpy.ops.ed.undo_push(message="After")
        bpy.ops.ed.undo()

    times.take("export", export)
    for which, handlers in ((times, nullcontext()), (alone, _without_handlers())):
        with handlers:
            which.take("undo", undo)
            which.take("save", lambda: _save(scene))
            which.take("open", lambda: _open(scene))


def _sizes(scene: Path) -> dict[str, Any]:
    """Return how large the saved file is that is open, and where its bytes go."""
    size, parts = scene.stat().st_size, subjects_of(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=True, copy=True)
    packed = scene.stat().st_size
    return {"size": size, "packed": packed, "parts": parts, "objects": len(bpy.data.objects)}


@contextmanager
def _without_handlers() -> Iterator[None]:
    """Take the extension's handlers away for a while: what is left is Blender's own."""
    ui.handlers.unregister()
    try:
        yield
    finally:
        ui.handlers.register()
