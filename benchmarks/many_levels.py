"""What a file costs that holds many levels already: to import one more, to export, undo, save and open it."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider import ui
from io_tomb_raider.formats import write_level
from io_tomb_raider.scene.base import members
from io_tomb_raider.scene.exporter import export_level
from io_tomb_raider.scene.importer import import_level

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
        target = Path(folder)
        for number, path in zip(range(1, LEVELS + 1), itertools.cycle(levels), strict=False):
            if number in _ASKED:
                found["imports"][str(number)] = _beside_floor(first, recording, target / "scene.blend", runs)
            import_level(path)
            if number == 1:
                found["one"] = _work(target, runs)
        found["all"] = _work(target, runs)
    return found


def _beside_floor(path: Path, recording: Recording, scene: Path, runs: int) -> dict[str, float]:
    """Import a level beside what the file has, and make its floor there; leave the file as it was."""
    times = Times()
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=False, copy=True)
    for _ in range(runs):
        _open(scene)
        times.take("import", lambda: import_level(path))
        _open(scene)
        times.take("floor", Floor(recording).make)
    _open(scene)
    return times.least()


def _open(scene: Path) -> None:
    """Open a file as a window does, which works out at once what it shows."""
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    bpy.context.view_layer.update()


def _work(folder: Path, runs: int) -> dict[str, float]:
    """Do with the open file what users do, and leave it open."""
    times = Times()
    scene = folder / "scene.blend"

    def export(root: Any) -> None:
        write_level(export_level(root)[0], folder / "level")

    def undo() -> None:
        bpy.ops.ed.undo_push(message="Before")
        bpy.context.scene.frame_end += 1
        bpy.ops.ed.undo_push(message="After")
        bpy.ops.ed.undo()

    def save() -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=False, copy=True)

    alone = Times()
    for _ in range(runs):
        first = min(members.levels(), key=lambda each: each.session_uid)
        times.take("export", partial(export, first))
        for which, handlers in ((times, nullcontext()), (alone, _without_handlers())):
            with handlers:
                which.take("undo", undo)
                which.take("save", save)
                which.take("open", lambda: _open(scene))
    size, parts = scene.stat().st_size, subjects_of(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene), compress=True, copy=True)
    packed = scene.stat().st_size
    found: dict[str, Any] = {"size": size, "packed": packed, "parts": parts, "objects": len(bpy.data.objects)}
    return {**times.least(), **found, "blender": alone.least()}


@contextmanager
def _without_handlers() -> Iterator[None]:
    """Take the extension's handlers away for a while: what is left is Blender's own."""
    ui.handlers.unregister()
    try:
        yield
    finally:
        ui.handlers.register()
