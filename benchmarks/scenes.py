"""Times of imports and exports compared with the floor, memory of an import, and a profile."""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider import ui
from io_tomb_raider.formats import write_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile

from .edits import make_edits
from .floor import Floor
from .reading import time_to_bytes
from .recording import Recording, record_scene
from .timing import Times

_FRAMES = 20


def empty_file() -> None:
    """Open a new, empty file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def measure_scene(path: Path, runs: int) -> dict[str, Any]:
    """Measure import, export and floor of one level, each run in a new, empty file.

    Returns:
        ``times``: medians in seconds: ``import``; ``first`` export of a file that was just opened, ``export``
            in the session of the import, ``rebuild``, and ``edited`` after ten edits, all up to the file on
            disk; ``to_bytes`` of the rebuilt level without compression; ``check``; a change of the ``frame``;
            ``undo`` of one edit, and ``undo alone`` without the extension's handlers; ``floor``. ``beside``:
            the times as multiples of the floor.
            ``cold``: the first import of the process. ``parts``: medians of the floor's parts. ``counts``:
            the contents of the scene.
    """
    first = Times()
    empty_file()
    first.take("import", lambda: import_level(path))
    recording = record_scene()
    times, parts = Times(), Times()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            _measure_floor(recording, times, parts)
            _measure_once(path, Path(folder) / path.name, times)
    return {
        "times": times.medians(),
        "beside": times.beside("floor"),
        "cold": first.medians()["import"],
        "parts": parts.medians(),
        "counts": recording.counts(),
    }


def _measure_once(path: Path, target: Path, times: Times) -> None:
    empty_file()
    root = times.take("import", lambda: import_level(path)).root

    def export(rebuild: bool) -> Any:
        reconcile(root)  # as the operator does
        level = export_level(root, rebuild=rebuild).level
        write_level(level, target)
        return level

    times.take("export", lambda: export(False))
    original.forget()
    times.take("first", lambda: export(False))
    rebuilt = times.take("rebuild", lambda: export(True))
    writing, _ = time_to_bytes(rebuilt)
    times.note("to_bytes", writing)
    times.take("check", lambda: check_scene(root))
    _change_frames(times)
    name = root.name
    _undo(name, Times(), "first")  # the first one reads all data-blocks
    undone = Times()
    for _ in range(3):  # in turns, since each takes longer than the one before
        with without_handlers():
            _undo(name, undone, "undo alone")
        _undo(name, undone, "undo")
    for work, seconds in undone.medians().items():
        times.note(work, seconds)
    root = bpy.data.collections[name]
    make_edits(root)
    times.take("edited", lambda: export(False))


def _change_frames(times: Times) -> None:
    """Measure changes of the frame while each model shows its first animation, as after an import."""
    scene = bpy.context.scene
    assert scene is not None
    alone = Times()
    scene.frame_set(0)  # the first change evaluates all objects
    for frame in range(1, _FRAMES):
        alone.take("frame", lambda frame=frame: scene.frame_set(frame))  # type: ignore[misc]
    times.note("frame", alone.medians()["frame"])


def _undo(level: str, times: Times, name: str) -> None:
    """Measure undo of one edit, which invalidates all references to Blender's data."""
    bpy.ops.ed.undo_push(message="Before")
    obj = next(iter(bpy.data.collections[level].all_objects))
    obj.location.x += 1.0
    bpy.ops.ed.undo_push(message="Move")
    times.take(name, bpy.ops.ed.undo)


@contextmanager
def without_handlers() -> Iterator[None]:
    """Unregister the extension's handlers temporarily, to measure Blender alone."""
    ui.handlers.unregister()
    try:
        yield
    finally:
        ui.handlers.register()


def _measure_floor(recording: Recording, times: Times, parts: Times) -> None:
    empty_file()
    floor = Floor(recording)
    times.take("floor", floor.make)
    for name, seconds in floor.parts.items():
        parts.note(name, seconds)


def measure_memory(path: Path | None) -> dict[str, Any]:
    """Return the peak memory of this process, in bytes, after importing a level or nothing."""
    empty_file()
    if path is not None:
        import_level(path)
    return {"peak": peak_memory()}


def peak_memory() -> int:
    """Return the peak of this process's own memory, in bytes; 0 if the system does not report it."""
    status = Path("/proc/self/status")
    if status.is_file():
        # The kernel's other counter, ru_maxrss, begins with the peak of the parent process.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def profile_level(path: Path, lines: int = 45) -> None:
    """Print a profile of an import, an export and a rebuilding export."""
    empty_file()
    import_level(path)
    empty_file()
    context = _profiled("Import", lambda: import_level(path), lines)
    _profiled("Export", lambda: export_level(context.root).level.to_bytes(), lines)
    _profiled("Export with rebuild", lambda: export_level(context.root, rebuild=True).level.to_bytes(), lines)


def _profiled(title: str, function: Any, lines: int) -> Any:
    profile = cProfile.Profile()
    result = profile.runcall(function)
    print(f"\n{title}: by time in the function itself")
    stats = pstats.Stats(profile).strip_dirs()
    stats.sort_stats("tottime").print_stats(lines)
    print(f"{title}: by time in the function and all that it calls")
    stats.sort_stats("cumulative").print_stats(lines)
    return result
