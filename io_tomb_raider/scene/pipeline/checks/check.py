"""Check of a level in the scene: a dry-run export, and a check of the exported level."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from bpy.types import Collection, Mesh, Object

from ....catalogue import names
from ....formats import ExportError, FormatError, Game, Level, Room
from ....formats.base import SECTOR_SIZE, SamplePlace, T, Target
from ....formats.edits.checks import (
    ALONE,
    APART,
    DOUBLED,
    GAP,
    INSIDE_OUT,
    LOST,
    NEW_ONLY,
    SHINE,
    TURNED,
    WRONG_WAY,
    find_seams,
    weigh,
)
from ....formats.edits.rules import CHECK, target_of
from ....formats.levels.views import THE_LEVEL, Decoded, Element, Finding, Severity, run_checks
from ...core import original
from ...core.membership import members
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report
from ...core.reporting.results import ExportResult
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...core.targets import target_of_level
from ...subjects.level.names import named_slots
from ..exporter import export_level
from ..rooms_apart import RoomApart, Written, rooms_apart
from . import notes as lines
from .inhabitants import (
    IN_A_WALL,
    IN_THE_AIR,
    MISPLACED_DOOR,
    UNKNOWN_SLOT,
    check_invisible,
    check_with_roles,
)
from .injection_files import notes_of_files
from .notes import Note, objects_of_note, of_error, of_report, weighed

FIXES = "sectors_from_mesh mesh_from_sectors"


def check_mesh_and_sectors(
    root: Collection, exported: Written, now: Decoded, before: Decoded, *, all_rooms: bool = False
) -> dict[int, Note]:
    """Compare meshes and sectors of rooms that were edited since their import.

    Args:
        exported: the exported rooms by kind and number.
        now: the exported level.
        before: the imported level.
        all_rooms: compare all rooms, and report what the imported file had, too.

    Returns:
        At most one note per room, by its number.
    """
    rooms = rooms_apart(root, exported, now, before, all_rooms=all_rooms)
    return {number: _note(root, apart, now, number) for number, apart in rooms.items()}


def _note(root: Collection, apart: RoomApart, now: Decoded, number: int) -> Note:
    """Return the note about a room, at the first of its sectors."""
    gaps = apart.gaps
    record, (x, z) = now.level.rooms[number], (gaps.cells[0] + 0.5) * SECTOR_SIZE
    height = gaps.floors[0].mean()
    (place,) = Space.of(root).to_blender(np.array([[record.x + x, height, record.z + z]]))
    world_place = np.array(place, np.float64) + np.array(root.tomb_raider.offset)
    severity: lines.Severity = "WARNING" if apart.was_whole else "INFO"
    return Note(
        severity, apart.room.name, apart.text, (world_place[0], world_place[1], world_place[2]), FIXES
    )


# Findings that the export itself reports if they are new; here they count only if the original has them.
_REPORTED = frozenset({"no model", "outside", "no Lara"})
SEVERITIES: dict[Severity, lines.Severity] = {
    Severity.INFO: "INFO",
    Severity.WARNING: "WARNING",
    Severity.ERROR: "ERROR",
}
# The fix of a check, and the kinds of objects that it is for.
_FIXES: dict[str, tuple[str, tuple[Kind, ...]]] = {
    WRONG_WAY: ("flip_portal", (Kind.PORTAL,)),
    ALONE: ("add_twin", (Kind.PORTAL,)),
    LOST: ("delete_portal", (Kind.PORTAL,)),
    DOUBLED: ("delete_portal", (Kind.PORTAL,)),
    INSIDE_OUT: ("flip_room", (Kind.ROOM,)),
    GAP: ("weld_gap", (Kind.ROOM,)),
    TURNED: ("align_texture", (Kind.ROOM,)),
    IN_THE_AIR: ("put_down", (Kind.ENTITY,)),
    MISPLACED_DOOR: ("move_door", (Kind.ENTITY,)),
    SHINE: ("remove_shine", (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)),
}
_PLACES = frozenset({IN_THE_AIR, IN_A_WALL})
_ALL_ROOMS = "rooms"
_MARKERS = {"portal": Kind.PORTAL, "trigger": Kind.TRIGGER, "static mesh": Kind.PLACEMENT}


def check_scene(
    root: Collection,
    *,
    apply_modifiers: bool = True,
    all_rooms: bool = False,
    seams: bool = False,
    report: Report | None = None,
    listener: Listener | None = None,
    more: Callable[[Collection, ExportResult], Iterable[Note]] | None = None,
) -> list[Note]:
    """Return all problems that a level would cause in a game, and all warnings and errors of its export.

    Like an export, it only reads: call :func:`~...transfer.adoption.reconciling.reconcile` before. Errors are
    first.

    Args:
        apply_modifiers: check meshes with modifiers, as in the viewport.
        all_rooms: compare mesh and sectors of all rooms, not only of those that were edited.
        seams: search for seams, too, see :mod:`....formats.edits.checks.seams`.
        report: existing warnings, to be included.
        more: returns more notes, given the root and the exported level.

    Raises:
        FormatError: if the original is damaged.
    """
    report = Report() if report is None else report
    try:
        exported = export_level(
            root, apply_modifiers=apply_modifiers, is_checked=True, report=report, listener=listener
        )
    except ExportError as error:
        return [of_error(error), *of_report(report)]
    decoded = original.load(root)
    assert decoded is not None  # the export has just read it
    if not decoded.level.has("models"):
        return of_report(report)  # texture pages only
    if listener is not None:
        listener(T("Checks"), 1.0)
    notes = _of_elements(root, exported, decoded, all_rooms=all_rooms, seams=seams)
    notes += [*of_report(report), *_of_sounds(root, exported.level), *(more(root, exported) if more else ())]
    notes += notes_of_files(root.tomb_raider.folder, exported.level.game)
    order = list(SEVERITIES.values())
    return sorted(weighed(root, notes), key=lambda note: order.index(note.severity), reverse=True)


def _of_elements(
    root: Collection, exported: ExportResult, decoded: Decoded, *, all_rooms: bool, seams: bool
) -> list[Note]:
    """Return notes on the elements of an exported level."""
    level, naming = exported.level, _Naming(root, exported)
    try:
        # Targets differ in what they know, so the original is checked as a level for this one, too.
        target = target_of_level(root, decoded)
        if target is not target_of(decoded):
            decoded = _checked(decoded, decoded.level, target)
        checked = decoded if _is_same(level, decoded.level) else _checked(decoded, level, target)
        findings = _findings(decoded, checked, naming)
        findings = [each for each in findings if not _is_in_catalog(root, level, each)]
        findings += find_seams(checked) if seams else ()
        apart = check_mesh_and_sectors(root, exported.written, checked, decoded, all_rooms=all_rooms)
    except FormatError as error:
        return [
            Note("ERROR", root.name, T("the exported level cannot be read back ({error})", error=str(error)))
        ]
    notes = [naming.note(each) for each in findings if each.check != APART or each.obj.number not in apart]
    return [*notes, *apart.values(), *_of_far_models(decoded, checked, naming)]


def _is_in_catalog(root: Collection, level: Level, finding: Finding) -> bool:
    """Return whether a finding is about a slot that the object catalog of the mod names."""
    if finding.check != UNKNOWN_SLOT:
        return False
    number = finding.obj.number
    return (int(level.entities["type"][number]) if finding.obj.kind == "entity" else number) in named_slots(
        root
    )


def _findings(decoded: Decoded, checked: Decoded, naming: _Naming) -> list[Finding]:
    """Return the findings of an exported level; those that the original has too are information."""
    before = decoded.once(check_with_roles)
    now = before if checked is decoded else check_with_roles(checked)
    weighed = weigh(now, before, naming.origin)
    if checked is not decoded and checked.level.has("entities"):
        weighed = _moved(decoded, checked, naming, weighed)
    if checked is not decoded:
        new_findings, old_findings = (run_checks(each, NEW_ONLY) for each in (checked, decoded))
        new = weigh(new_findings, old_findings, naming.origin)
        weighed += [each for each in new if each.severity is not Severity.INFO]
    return [
        each
        for each in weighed
        if each.severity is Severity.INFO or not (each.check in _REPORTED or each.check.startswith(CHECK))
    ]


def _moved(decoded: Decoded, checked: Decoded, naming: _Naming, findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in which places of entities that were moved count, also of invisible ones."""
    before, now = decoded.level.entities, checked.level.entities

    def is_moved(finding: Finding) -> bool:
        origin = naming.origin(finding.obj)
        here = now[finding.obj.number]
        return origin is None or any(here[axis] != before[origin.number][axis] for axis in "xyz")

    counted = [
        replace(each, severity=Severity.WARNING) if each.check in _PLACES and is_moved(each) else each
        for each in findings
    ]
    return [*counted, *filter(is_moved, check_invisible(checked))]


def _is_same(level: Level, before: Level) -> bool:
    """Return whether no section of a level was replaced."""
    values, old = vars(level), vars(before)
    if any(values[name] is not old.get(name) for name in values if name != _ALL_ROOMS):
        return False
    if not level.has("rooms"):
        return True
    return len(level.rooms) == len(before.rooms) and all(
        _share_fields(room, other, *vars(room)) for room, other in zip(level.rooms, before.rooms, strict=True)
    )


def _share_fields(room: Room, other: Room, *names: str) -> bool:
    pairs = ((getattr(room, name), getattr(other, name, None)) for name in names)
    return all(one is two or (isinstance(one, int | float) and one == two) for one, two in pairs)


def _checked(decoded: Decoded, level: Level, target: Target) -> Decoded:
    """Return a level for the checks of a target, with the original's decoded views of unchanged records."""
    before = decoded.level
    same_rooms = len(level.rooms) == len(before.rooms)
    same_floor = same_rooms and level.floor_data is before.floor_data
    same_floor = same_floor and all(
        _share_fields(room, other, "sectors") for room, other in zip(level.rooms, before.rooms, strict=True)
    )
    same_meshes = level.mesh_data is before.mesh_data and level.mesh_pointers is before.mesh_pointers
    checked = Decoded(level, target)
    if same_floor:
        checked.floor_lists, checked.sectors = decoded.floor_lists, decoded.sectors
    if same_meshes:
        checked.meshes = decoded.meshes
    return checked


class _Naming:
    """The names in the scene for numbers of an exported level."""

    def __init__(self, root: Collection, exported: ExportResult) -> None:
        self._root, self._written = root, exported.written
        self._space = Space.of(root)
        self._sector = SECTOR_SIZE * self._space.scale
        self._has = {kind for kind, _ in self._written}
        self._markers: dict[str, list[Object]] = {}
        for obj in members(root):
            self._markers.setdefault(obj.tomb_raider.kind, []).append(obj)
        self._places: dict[tuple[str, str], _MarkerPlaces] = {}

    def origin(self, obj: Element) -> Element | None:
        """Return the element of the original for one of the exported level, None for new ones."""
        kind = "room" if obj.kind in _MARKERS else obj.kind
        written = self._written.get((kind, obj.number))
        if written is None:
            return None if kind in self._has else obj
        return Element(obj.kind, written.source) if written.source >= 0 else None

    def name(self, obj: Element) -> str:
        """Return the name of an element for users."""
        if obj == THE_LEVEL:
            return str(self._root.name)
        kind = "room" if obj.kind in _MARKERS else obj.kind
        written = self._written.get((kind, obj.number))
        if written is not None:
            return written.name
        if kind == "mesh":
            objects = (*self._markers.get(Kind.MODEL_MESH, ()), *self._markers.get(Kind.STATIC_MESH, ()))
            meshes = (each.data for each in objects if isinstance(each.data, Mesh))
            mesh_names = (mesh.name for mesh in meshes if mesh.tomb_raider.index == obj.number)
            return next(mesh_names, f"Mesh {obj.number}")
        if kind == "model":
            return names(Game[self._root.tomb_raider.game]).model(obj.number)
        return f"{kind.capitalize()} {obj.number}"

    def note(self, finding: Finding) -> Note:
        """Return a finding as a note for users."""
        place = None
        if finding.place is not None:
            here = self._space.to_blender(np.array([finding.place]))[0]
            x, y, z = (here + np.array(self._root.tomb_raider.offset)).tolist()
            place = x, y, z
        subject = self.name(finding.obj)
        if place is not None and finding.obj.kind in _MARKERS:
            subject = self._marker(_MARKERS[finding.obj.kind], place, subject)
        fix, kinds = _FIXES.get(finding.check, ("", ()))
        if kinds and not any(obj.tomb_raider.kind in kinds for obj in objects_of_note(self._root, subject)):
            fix = ""
        return Note(SEVERITIES[finding.severity], subject, finding.say(self.name), place, fix)

    def _marker(self, kind: str, place: tuple[float, float, float], room: str) -> str:
        """Return the name of the nearest portal or trigger at a place, of its room if possible, or the room.

        Portals of two rooms are at the same place.
        """
        if (kind, room) not in self._places:
            markers = self._markers.get(kind, [])
            in_room = [obj for obj in markers if obj.parent is not None and obj.parent.name == room]
            self._places[kind, room] = _MarkerPlaces(in_room or markers, self._sector)
        nearest = self._places[kind, room].nearest(place)
        return room if nearest is None else nearest.name


class _MarkerPlaces:
    """Places and sizes of the markers of a kind."""

    def __init__(self, objects: list[Object], sector: float) -> None:
        self._objects, self._sector = objects, sector
        places = [world_matrix(obj).translation for obj in objects]
        scales = [obj.scale if obj.tomb_raider.kind == Kind.TRIGGER else (1.0, 1.0, 1.0) for obj in objects]
        self._places = np.array(places, np.float64).reshape(-1, 3)
        sizes = np.abs(np.array(scales, np.float64).reshape(-1, 3)[:, :2]) * sector / 2
        self._sizes = np.maximum(sizes, sector / 64)

    def nearest(self, place: tuple[float, float, float]) -> Object | None:
        """Return the marker at a place, None if the nearest one is a sector or more away."""
        offsets = np.abs(self._places - place)
        outside = np.maximum(offsets[:, :2] - self._sizes, 0)
        distance = np.nan_to_num(np.hypot(*outside.T) + offsets[:, 2] * 1e-3, nan=np.inf)
        if not len(distance):
            return None
        index = int(distance.argmin())
        return self._objects[index] if distance[index] < self._sector else None


def _of_far_models(before: Decoded, checked: Decoded, naming: _Naming) -> list[Note]:
    """Return notes on models with edited shapes that are shown from afar by others with the old ones."""
    if checked.meshes is before.meshes:
        return []
    catalogue, notes = names(checked.level.game), []
    old, new = _shapes(before), _shapes(checked)
    edited = {number for number, shape in new.items() if number in old and shape != old[number]}
    for number in sorted(edited):
        far = catalogue.far_model(number)
        if far in new and far not in edited:
            other = naming.name(Element("model", far))
            text = T(
                "its meshes were edited, but not those of {other}, which is shown from afar", other=other
            )
            notes.append(Note("INFO", naming.name(Element("model", number)), text))
    return notes


def _shapes(checked: Decoded) -> dict[int, list[bytes]]:
    """Return the vertices of the meshes of each model, by the model's id."""
    block = checked.meshes
    return {
        int(model["id"]): [
            block.meshes[each].vertices.tobytes()
            for each in block.pointers[model["first_mesh"] : model["first_mesh"] + model["meshes"]].tolist()
        ]
        for model in checked.level.models
    }


def _of_sounds(root: Collection, level: Level) -> list[Note]:
    """Return a note if the file with the level's samples is missing."""
    settings = root.tomb_raider.sounds
    if level.game.traits.samples is not SamplePlace.IN_MAIN_SFX or "SOUNDS" not in root.tomb_raider.imported:
        return []
    if not level.has("sample_indices") or not len(level.sample_indices):
        return []
    if settings.main_sfx and os.path.isfile(settings.main_sfx):
        return []
    text = T("it was not found, so samples are silent in Blender; the game uses the one in its own folder")
    return [Note("INFO", "MAIN.SFX", T("{text}. Choose it in the level's panel Sounds", text=text))]
