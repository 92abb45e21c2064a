"""All kinds of project files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...base.bytes.files import file_content

if TYPE_CHECKING:
    from .model.project import Project

PROJECT2, PROJECT = ".prj2", ".prj"
PROJECT_SUFFIXES = (PROJECT2, PROJECT)


def read_any_project(source: str | os.PathLike[str] | bytes) -> Project:
    """Read a project of Tomb Editor or of the old room editor, from a file or from its bytes.

    Raises:
        FormatError: if it is neither, or damaged.
        OSError: if the file cannot be read.
    """
    data = file_content(source)
    from .prj.prj import is_prj

    if not is_prj(data):
        from .model.project import read_project

        return read_project(data)
    from .prj.prj_convert import read_prj

    return read_prj(data)


def content(project: Project) -> dict[str, int]:
    """Return the numbers of rooms, sectors, faces, and objects of each kind."""
    result = {
        "rooms": len(project.rooms),
        "sectors": sum(room.shape.wall.size for room in project.rooms),
        "faces": sum(int((room.shape.faces["texture"] >= 0).sum()) for room in project.rooms),
    }
    for _, each in project.objects():
        name = _PLURALS[each.noun]
        result[name] = result.get(name, 0) + 1
    return result


_PLURALS = {
    "Moveable": "moveables",
    "Static": "statics",
    "Camera": "cameras",
    "Sink": "sinks",
    "SoundSource": "sound sources",
    "Sprite": "sprites",
    "Flyby": "flyby cameras",
    "Memo": "notes",
    "Light": "lights",
    "Volume": "volumes",
    "ImportedGeometry": "imported models",
    "Portal": "portals",
    "GhostBlock": "ghost blocks",
    "Trigger": "triggers",
    "UnknownObject": "objects of unknown kinds",
}
