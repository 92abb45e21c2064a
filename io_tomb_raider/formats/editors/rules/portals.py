"""Rules of the portals of projects."""

from __future__ import annotations

from collections import Counter

from ...base.messages import N_
from ...edits.rules.rule import TOMB_EDITOR, Harm
from ..projects.model.objects import OPPOSITE, Direction, ProjectPortal
from ..projects.model.rooms import ProjectRoom
from .view import ALL_TARGETS, CLASSIC, KNOWN_DIRECTIONS, STEPS, CheckedProject, PlacedPortal, ProjectRule


def _outside(checked: CheckedProject) -> list[int]:
    return [each.room.number for each in checked.portals if not each.is_inside]


def _overlapping(checked: CheckedProject) -> list[int]:
    taken: set[tuple[int, int, int, int]] = set()
    result = []
    for place, room in enumerate(checked.rooms):
        for each in (PlacedPortal(room, portal) for portal in room.each(ProjectPortal)):
            if not each.is_inside:
                continue
            sectors = {(place, each.slot, x, z) for x, z in each.sectors()}
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


def _is_on_border(each: PlacedPortal, direction: Direction) -> bool:
    """Return whether a portal is where the editor makes those of its direction."""
    x0, z0, x1, z1 = each.portal.area
    x_last, z_last = each.room.shape.x_sectors - 1, each.room.shape.z_sectors - 1
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


def _has_counterpart(checked: CheckedProject, each: PlacedPortal, direction: Direction) -> bool:
    """Return whether the other room leads back at all sectors of a portal."""
    step_x, step_z = STEPS.get(direction, (0, 0))
    slot = 2 if direction in STEPS else 1 - each.slot
    wanted = checked.base_of(each.room.number), OPPOSITE[direction]
    return all(
        any(
            (back.room, back.direction) == wanted
            for back in checked.portals_at.get(
                (each.portal.room, slot, x + each.room.x + step_x, z + each.room.z + step_z), ()
            )
        )
        for x, z in each.sectors()
    )


def _beyond_room(checked: CheckedProject) -> list[int]:
    result = []
    for each, direction in _known(checked):
        behind = checked.by_number.get(each.portal.room)
        if direction not in STEPS or behind is None:
            continue
        x, z = (
            own - other + step
            for own, other, step in zip(
                (each.room.x, each.room.z), (behind.x, behind.z), STEPS[direction], strict=True
            )
        )
        x0, z0, x1, z1 = each.portal.area
        shape = behind.shape
        if x0 + x < 0 or z0 + z < 0 or x1 + x >= shape.x_sectors or z1 + z >= shape.z_sectors:
            result.append(each.room.number)
    return result


def _unequal_pairs(checked: CheckedProject) -> list[int]:
    def portals(room: ProjectRoom) -> Counter[tuple[object, ...]]:
        return Counter((each.room, each.direction, each.area) for each in room.each(ProjectPortal))

    pairs = (
        (checked.by_number.get(base), checked.by_number.get(flip)) for flip, base in checked.base.items()
    )
    return [
        flip.number
        for base, flip in pairs
        if base is not None and flip is not None and portals(base) != portals(flip)
    ]


_READERS = (TOMB_EDITOR,)

RULES = (
    ProjectRule(
        "portal outside",
        Harm.MISSING,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor drops {count} of its portals: they are outside of the room"),
        _outside,
        "room",
    ),
    ProjectRule(
        "overlapping portals",
        Harm.MISSING,
        ALL_TARGETS,
        _READERS,
        N_(
            "Tomb Editor drops {count} of its portals: another one is in the same sector. "
            "Each sector can have one portal in its floor, ceiling and wall"
        ),
        _overlapping,
        "room",
    ),
    ProjectRule(
        "portal without room",
        Harm.MISSING,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor connects {count} of its portals to their own room: the other room does not exist"),
        _without_room,
        "room",
    ),
    ProjectRule(
        "direction of a portal",
        Harm.CRASH,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor cannot compile the level: {count} of its portals have an unknown direction"),
        _unknown_direction,
        "room",
    ),
    ProjectRule(
        "portal to its room",
        Harm.WRONG,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor has no portals of a room to itself or to its alternate room: {count} here"),
        _to_itself,
        "room",
    ),
    ProjectRule(
        "portal to alternate room",
        Harm.WRONG,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor connects portals to the base room: {count} of its portals are to the alternate one"),
        _to_flipped,
        "room",
    ),
    ProjectRule(
        "place of a portal",
        Harm.WRONG,
        ALL_TARGETS,
        _READERS,
        N_(
            "Tomb Editor has {count} of its portals at other places: those in walls are on the border that "
            "they face, others within the border"
        ),
        _misplaced,
        "room",
    ),
    ProjectRule(
        "portal without counterpart",
        Harm.MISSING,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor closes {count} of its portals: the other room has none at the same place"),
        _without_counterpart,
        "room",
    ),
    ProjectRule(
        "portal beside the other room",
        Harm.CRASH,
        CLASSIC,
        _READERS,
        N_("Tomb Editor cannot compile the level: {count} of its portals are outside of the other room"),
        _beyond_room,
        "room",
    ),
    ProjectRule(
        "portals of a pair",
        Harm.WRONG,
        ALL_TARGETS,
        _READERS,
        N_("Tomb Editor gives an alternate room the portals of its base room: this one has others"),
        _unequal_pairs,
        "room",
    ),
)
