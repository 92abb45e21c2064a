"""Projects with imported geometry, and what tests of it share."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.model.objects import Direction, ImportedGeometry
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import ImportedModel
from io_tomb_raider.formats.levels.textures.png import encode_png
from tests.formats.editors.projects.compile.compile_samples import (
    IMAGE,
    connect,
    image,
    lara,
    plain_room,
    project_of,
    texture_all,
)

from ..user_actions import levels

MODEL = 5
TURNED, PLAIN, ELSEWHERE = 10, 11, 12

_CORNERS = [(x, y, z) for x in (-256, 256) for y in (0, 512) for z in (-256, 256)]
_SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def box() -> str:
    """Return a box of 512 units, with colors of its vertices."""
    lines = ["mtllib box.mtl"]
    lines += [f"v {x} {y} {z} {0.25 + (x > 0) / 4} 0.5 {0.25 + (z > 0) / 8}" for x, y, z in _CORNERS]
    lines += ["vt 0 0", "vt 0.5 0", "vt 0.5 0.5", "vt 0 0.5", "usemtl wall"]
    for side in _SIDES:
        lines.append("f " + " ".join(f"{corner + 1}/{number}" for number, corner in enumerate(side, 1)))
    return "\n".join(lines)


def default_models() -> list[tuple[int, ImportedGeometry]]:
    """Return three boxes in two rooms: the room, and the object."""
    return [
        (
            0,
            ImportedGeometry(
                TURNED, (2048.25, 256.0, 2560.0), model=MODEL, y=30.0, x=10.0, roll=5.0, scale=1.5
            ),
        ),
        (0, ImportedGeometry(PLAIN, (4352.0, 0.0, 3328.0), model=MODEL, lighting=0)),
        (
            1,
            ImportedGeometry(
                ELSEWHERE, (3072.0, 0.0, 3072.0), model=MODEL, y=90.0, lighting=1, sharp_edges=True
            ),
        ),
    ]


def write_project(
    folder: Path, game: Game = Game.TR4, models: list[tuple[int, ImportedGeometry]] | None = None
) -> Path:
    """Write a project of two rooms with imported geometry, and all files that it names."""
    rooms = [plain_room(0, 1, 1, 256, (6, 6)), plain_room(1, 5, 1, 256, (6, 6))]
    connect(rooms[0], rooms[1], Direction.POSITIVE_X, (2, 3))
    texture_all(rooms)
    rooms[0].objects.append(lara())
    for room, each in default_models() if models is None else models:
        rooms[room].objects.append(each)
    project = project_of(rooms, game, folder)
    project.settings.imported_geometries = [ImportedModel(MODEL, "Box", "box.obj")]
    (folder / IMAGE).write_bytes(encode_png(image(folder / IMAGE)))
    (folder / "box.mtl").write_text(f"newmtl wall\nmap_Kd {IMAGE}\n")
    (folder / "box.obj").write_text(box())
    path = folder / "made.prj2"
    path.write_bytes(project.to_bytes())
    return path


def models_of(project: Project) -> dict[int, tuple[int, ImportedGeometry]]:
    """Return the imported geometry of a project by number, with the number of the room."""
    return {
        each.number: (room.number, each)
        for room, each in project.objects()
        if isinstance(each, ImportedGeometry)
    }


def read(path: Path) -> Project:
    """Return a project."""
    return read_project(path.read_bytes())


def opened(path: Path) -> Collection:
    """Return the level of a project, imported by the menu."""
    before = set(levels())
    assert bpy.ops.import_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    (made,) = set(levels()) - before
    return made
