"""Rules of the portals of projects."""

from __future__ import annotations

from collections import Counter

from ...base.messages import N_
from ...edits.rules.rule import Harm
from ..projects.model.objects import OPPOSITE, Direction, ProjectPortal
from ..projects.model.rooms import ProjectRoom
from .view import ALL_TARGETS, CLASSIC, KNOWN_DIRECTIONS, STEPS, CheckedProject, PlacedPortal, rule


def _outside(checked: CheckedProject) -> list[int]:
    return [each.room.number for each in checked.portals if not each.is_inside]


def _overlapping(checked: CheckedProject) -> list[int]:
    taken: set[tuple[int, int, int, int]] = set()
    result = []
    for index, room in enumerate(checked.rooms):
        for each in (PlacedPortal(room, portal) for portal in room.each(ProjectPortal)):
            if not each.is_inside:
                continue
            sectors = {(index, each.slot, x, z) for x, z in each.sectors()}
            # The loader drops the whole portal, and so its other sectors stay free.
            if sectors & taken:
                result.append(room.number)
            else:
                taken |= sectors
    return result


def _without_room(checked: CheckedProject) -> list[int]:
    return [each.room.number for each in checked.portals if each.portal.room not in checked.by_number]


def _unknown_direction(checked: CheckedProject) -> list[int]:
    return [each.room.number for each in checked.portals if each.portal.direction not in KNOWN_DIRECTIONS]


def _to_itself(checked: CheckedProject) -> list[int]:
    return [
        each.room.number
        for each in checked.portals
        if checked.base_of(each.portal.room) == checked.base_of(each.room.number)
    ]


def _to_flipped(checked: CheckedProject) -> list[int]:
    return [each.room.number for each in checked.portals if each.portal.room in checked.base]


def _known(checked: CheckedProject) -> list[tuple[PlacedPortal, Direction]]:
    """Return the portals inside of their rooms, and their directions."""
    return [
        (each, Direction(each.portal.direction))
        for each in checked.portals
        if each.is_inside and each.portal.direction in KNOWN_DIRECTIONS
    ]


def _is_on_border(placed: PlacedPortal, direction: Direction) -> bool:
    """Return whether a portal is where the editor makes those of its direction."""
    x0, z0, x1, z1 = placed.portal.area
    x_last, z_last = placed.room.shape.x_sectors - 1, placed.room.shape.z_sectors - 1
    across = {
        Direction.POSITIVE_Z: (z0, z1) == (z_last, z_last),
        Direction.NEGATIVE_Z: (z0, z1) == (0, 0),
        Direction.POSITIVE_X: (x0, x1) == (x_last, x_last),
        Direction.NEGATIVE_X: (x0, x1) == (0, 0),
    }
    along_x, along_z = x0 > 0 and x1 < x_last, z0 > 0 and z1 < z_last
    if direction not in across:
        return along_x and along_z
    is_along = along_x if direction in (Direction.POSITIVE_Z, Direction.NEGATIVE_Z) else along_z
    return across[direction] and is_along


def _misplaced(checked: CheckedProject) -> list[int]:
    return [each.room.number for each, direction in _known(checked) if not _is_on_border(each, direction)]


def _without_counterpart(checked: CheckedProject) -> list[int]:
    return [
        each.room.number
        for each, direction in _known(checked)
        if each.portal.room in checked.by_number and not _has_counterpart(checked, each, direction)
    ]


def _has_counterpart(checked: CheckedProject, placed: PlacedPortal, direction: Direction) -> bool:
    """Return whether the other room leads back at all sectors of a portal."""
    step_x, step_z = STEPS.get(direction, (0, 0))
    slot = 2 if direction in STEPS else 1 - placed.slot
    expected = checked.base_of(placed.room.number), OPPOSITE[direction]
    for x, z in placed.sectors():
        key = placed.portal.room, slot, x + placed.room.x + step_x, z + placed.room.z + step_z
        if all((back.room, back.direction) != expected for back in checked.portals_at.get(key, ())):
            return False
    return True


def _beyond_room(checked: CheckedProject) -> list[int]:
    result = []
    for each, direction in _known(checked):
        target = checked.by_number.get(each.portal.room)
        if direction not in STEPS or target is None:
            continue
        step_x, step_z = STEPS[direction]
        x, z = each.room.x - target.x + step_x, each.room.z - target.z + step_z
        x0, z0, x1, z1 = each.portal.area
        shape = target.shape
        if x0 + x < 0 or z0 + z < 0 or x1 + x >= shape.x_sectors or z1 + z >= shape.z_sectors:
            result.append(each.room.number)
    return result


def _unequal_pairs(checked: CheckedProject) -> list[int]:
    def portals(room: ProjectRoom) -> Counter[tuple[object, ...]]:
        return Counter((each.room, each.direction, each.area) for each in room.each(ProjectPortal))

    return [flip.number for base, flip in checked.pairs if portals(base) != portals(flip)]


RULES = (
    rule(
        "portal outside",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} of its portals: they are outside of the room"),
        _outside,
        "room",
    ),
    rule(
        "overlapping portals",
        Harm.MISSING,
        ALL_TARGETS,
        N_(
            "Tomb Editor drops {count} of its portals: another one is in the same sector. "
            "Each sector can have one portal in its floor, ceiling and wall"
        ),
        _overlapping,
        "room",
    ),
    rule(
        "portal without room",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor connects {count} of its portals to their own room: the other room does not exist"),
        _without_room,
        "room",
    ),
    rule(
        "direction of a portal",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor cannot compile the level: {count} of its portals have an unknown direction"),
        _unknown_direction,
        "room",
    ),
    rule(
        "portal to its room",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor has no portals of a room to itself or to its alternate room: {count} here"),
        _to_itself,
        "room",
    ),
    rule(
        "portal to alternate room",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor connects portals to the base room: {count} of its portals are to the alternate one"),
        _to_flipped,
        "room",
    ),
    rule(
        "place of a portal",
        Harm.WRONG,
        ALL_TARGETS,
        N_(
            "Tomb Editor has {count} of its portals at other places: those in walls are on the border that "
            "they face, others within the border"
        ),
        _misplaced,
        "room",
    ),
    rule(
        "portal without counterpart",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor closes {count} of its portals: the other room has none at the same place"),
        _without_counterpart,
        "room",
    ),
    rule(
        "portal beside the other room",
        Harm.CRASH,
        CLASSIC,
        N_("Tomb Editor cannot compile the level: {count} of its portals are outside of the other room"),
        _beyond_room,
        "room",
    ),
    rule(
        "portals of a pair",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor gives an alternate room the portals of its base room: this one has others"),
        _unequal_pairs,
        "room",
    ),
)
