"""All fixes of findings, with those that draw rooms or read their sectors."""

from __future__ import annotations

from bpy.types import Collection, Object

from ....formats import ExportError
from ....formats.base import T
from ....formats.levels.views import Decoded, Gaps
from ...core import original
from ...core.membership import collision_of, require_local
from ...core.subjects import Kind
from ...pipeline.checks.fixes import FIXES as OTHERS
from ...pipeline.checks.fixes import Fix, Place
from ...pipeline.checks.notes import objects_of_note
from ..collision_from_mesh.refresh import gaps_of, refresh_from_mesh
from ..mesh_from_sectors.room import MESH_FOLLOWS, draw_room
from ..seams.fixes import FIXES as OF_SEAMS


def _apart(root: Collection, subject: str) -> tuple[Object, Gaps, Decoded | None]:
    """Return the room of a note, where its mesh and its sectors are apart, and the imported level.

    Raises:
        ExportError: if there is no such room, it is not local, or nothing is apart.
    """
    rooms = [obj for obj in objects_of_note(root, subject) if obj.tomb_raider.kind == Kind.ROOM]
    if not rooms:
        raise ExportError(subject, T("the object no longer exists"))
    collision = collision_of(rooms[0])
    for block in (rooms[0], rooms[0].data, collision, collision and collision.data):
        require_local(block)
    decoded = original.load(root)
    all_gaps, gaps = gaps_of(root, rooms[0], decoded)
    gaps = gaps if len(gaps) else all_gaps
    if not len(gaps):
        raise ExportError(subject, T("its mesh and its sectors no longer differ"))
    return rooms[0], gaps, decoded


def _read_sectors(root: Collection, subject: str, place: Place | None = None) -> None:
    room, gaps, decoded = _apart(root, subject)
    refresh_from_mesh(root, room, decoded, cells=gaps.cells)


def _draw_mesh(root: Collection, subject: str, place: Place | None = None) -> None:
    room, gaps, _ = _apart(root, subject)
    is_drawn = room.tomb_raider.room.mesh_and_sectors == MESH_FOLLOWS
    draw_room(root, room, cells=gaps.cells)
    if is_drawn:
        draw_room(root, room)


FIXES = {
    **OTHERS,
    **OF_SEAMS,
    "sectors_from_mesh": Fix(
        "Sectors from Mesh", T("its sectors were read from its mesh there"), _read_sectors
    ),
    "mesh_from_sectors": Fix("Mesh from Sectors", T("its mesh was drawn from its sectors there"), _draw_mesh),
}
