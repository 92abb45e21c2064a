"""Times of a project of 250 rooms of 20 x 20 sectors, beside those of its compiled level.

Opening it takes at most 3 times the import of its compiled level, compiling it at most 4 times the export of
that level, and the memory stays below 1.5 GB, see :mod:`.bounds`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from io_tomb_raider.formats import write_level
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.files import read_any_project
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.projects.files import resources_of
from io_tomb_raider.scene.interop.projects.imports import import_project
from io_tomb_raider.scene.interop.projects.project import export_project
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.project_files import write_large

from .scenes import empty_file, peak_memory
from .timing import Times

# What each figure is compared with: a compilation makes all of the level, as a rebuilding export does.
BESIDE = {"open": "import", "compile": "rebuild"}


def measure_project(runs: int) -> dict[str, dict[str, float]]:
    """Measure a project, each run in a new file.

    Returns:
        ``times``: medians in seconds: ``import`` of the compiled level, its ``export`` without edits, and
            ``rebuild``, all up to the file on disk; ``open`` and ``compile`` of the project, and ``save``
            without edits. ``beside``: ``open`` relative to the import, ``compile`` to the rebuild, in turn.
    """
    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        path = write_large(Path(folder))
        for _ in range(runs):
            _measure_once(path, times)
    return {
        "times": times.medians(),
        "beside": {name: times.beside(other)[name] for name, other in BESIDE.items()},
    }


def measure_project_memory() -> dict[str, float]:
    """Return the peak memory of this process, in bytes, after opening a project, which compiles it."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_large(Path(folder))
        empty_file()
        import_project(path)
    return {"peak": peak_memory()}


def _measure_once(path: Path, times: Times) -> None:
    level, out = path.with_suffix(".tr4"), path.with_name("out.tr4")
    times.take("compile", lambda: _compile(path, level))
    empty_file()
    root = times.take("import", lambda: import_level(level)).root
    times.take("export", lambda: write_level(export_level(root).level, out))
    times.take("rebuild", lambda: write_level(export_level(root, rebuild=True).level, out))
    empty_file()
    root = times.take("open", lambda: import_project(path)).context.root
    saved = path.with_name("saved.prj2")
    times.take("save", lambda: export_project(root, saved, report=Report()))


def _compile(path: Path, out: Path) -> None:
    project = read_any_project(path)
    write_level(compile_project(project, resources_of(project.settings, path)).level, out)
