"""Times of projects, beside those of their compiled levels: 250 rooms of 20 x 20 sectors, and a real one.

See :mod:`.bounds` for the limits.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from io_tomb_raider.formats import Game, write_level
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.files import read_any_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.projects.files import resources_of
from io_tomb_raider.scene.interop.projects.imports import compile_target, import_project
from io_tomb_raider.scene.interop.projects.project import export_project
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.project_files import ROOMS, write_large
from tests.real_levels import real_projects

from .scenes import empty_file, peak_memory
from .timing import Times

# What each figure is compared with: the import of the compiled level, and its export without edits.
BESIDE = {"open": "import", "save": "import", "compile": "export"}


def measure_projects(runs: int) -> dict[str, dict[str, dict[str, float]]]:
    """Measure projects, each run in a new file.

    Returns:
        By name, for a generated project and the largest real one, if there is any: ``times``: medians in
            seconds: ``import`` of the compiled level, and its ``export`` without edits up to the file on
            disk; ``open`` and ``compile`` of the project, and ``save`` without edits. ``beside``: the times
            relative to what :data:`BESIDE` names, in turn.
    """
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _projects(Path(folder)).items():
            times = Times()
            for _ in range(runs):
                _measure_once(path, Path(folder), times)
            beside = {work: times.beside(other)[work] for work, other in BESIDE.items()}
            result[name] = {"times": times.medians(), "beside": beside}
    return result


def measure_project_memory() -> dict[str, float]:
    """Return the peak memory of this process, in bytes, after opening and saving the generated project."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_large(Path(folder))
        empty_file()
        root = import_project(path).context.root
        export_project(root, path.with_name("saved.prj2"), report=Report())
    return {"peak": peak_memory()}


def _projects(folder: Path) -> dict[str, Path]:
    """Return a generated project and the largest real one."""
    result = {f"{ROOMS} rooms": write_large(folder)}
    real = max(real_projects(".prj2"), key=lambda path: path.stat().st_size, default=None)
    return result if real is None else {**result, real.name: real}


def _measure_once(path: Path, folder: Path, times: Times) -> None:
    level, out, saved = (folder / name for name in ("compiled.tr4", "out.tr4", "saved.prj2"))
    target = "" if _has_game(path) else Game.TR4.name
    times.take("compile", lambda: _compile(path, level, target))
    empty_file()
    root = times.take("import", lambda: import_level(level)).root
    times.take("export", lambda: write_level(export_level(root).level, out))
    empty_file()
    root = times.take("open", lambda: import_project(path, target=target)).context.root
    times.take("save", lambda: export_project(root, saved, report=Report()))


def _has_game(path: Path) -> bool:
    """Return whether a project is for a game: levels of TombEngine are compiled for TR4."""
    return read_any_project(path).settings.game_version != GameVersion.TOMB_ENGINE


def _compile(path: Path, out: Path, target: str) -> None:
    project = read_any_project(path)
    resources = resources_of(project.settings, path)
    chosen = compile_target(project, target, cinematic=False)
    # With what is missing, as opening it does: files of real projects are not here.
    write_level(compile_project(project, resources, chosen, keep_missing=True).level, out)
