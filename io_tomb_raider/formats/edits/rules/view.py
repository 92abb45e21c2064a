"""Views of a level that several rules share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.bytes.bits import join_records
from ...base.bytes.records import QUAD
from ...levels.floor.functions import ActionType
from ...levels.floor.grammar import WordRole
from ...levels.textures.face_words import mesh_texture_mask, room_texture_mask
from ...levels.views.decoded import Decoded


def room_values(checked: Decoded, name: str) -> Ints:
    """Return a number of each room, (rooms,)."""
    return np.array([getattr(room, name) for room in checked.level.rooms], np.int64)


class Portals(NamedTuple):
    """All portals of a level."""

    room: Ints  #: (n,) the room that owns each.
    normal: Ints  #: (n, 3). corners: (n, 4, 3), relative to the room.
    corners: Ints


def portals_of(checked: Decoded) -> Portals:
    """Return the portals of all rooms."""
    return checked.once(_portals)


def _portals(checked: Decoded) -> Portals:
    rooms = checked.level.rooms
    records = join_records([room.portals for room in rooms])
    owner = np.repeat(np.arange(len(rooms)), [len(room.portals) for room in rooms])
    return Portals(owner, records["normal"].astype(np.int64), records["vertices"].astype(np.int64))


def static_places(checked: Decoded) -> tuple[Ints, Ints, Ints]:
    """Return room, x and z of all static meshes in rooms, each (n,)."""
    rooms = checked.level.rooms
    records = join_records([room.static_meshes for room in rooms])
    owner = np.repeat(np.arange(len(rooms)), [len(room.static_meshes) for room in rooms])
    return owner, records["x"].astype(np.int64), records["z"].astype(np.int64)


class Actions(NamedTuple):
    """The actions of all triggers that sectors use."""

    lists: Ints  #: (n,) the number of the list, see :meth:`...levels.floor.lists.FloorLists.numbered`.
    kind: Ints  #: (n,) the type of the action. parameter: (n,) its number.
    parameter: Ints


def actions_of(checked: Decoded) -> Actions:
    """Return all actions; references of switch, key and pickup triggers are actions on an object."""
    return checked.once(_actions)


def _actions(checked: Decoded) -> Actions:
    row = checked.floor_lists.data.row
    roles, words = row.roles, row.words.astype(np.int64)
    rows = np.flatnonzero(np.isin(roles, (WordRole.ACTION, WordRole.UNCERTAIN_ACTION, WordRole.REFERENCE)))
    is_reference = roles[rows] == WordRole.REFERENCE
    return Actions(
        np.searchsorted(row.places, rows, side="right") - 1,
        np.where(is_reference, int(ActionType.OBJECT), words[rows] >> 10 & 0x1F),
        words[rows] & 0x3FF,
    )


class Heads(NamedTuple):
    """The functions of all lists, in order."""

    lists: Ints  #: (f,) their list.
    kinds: Ints  #: (f,) the number of the function.
    actions: Ints  #: (f,) the number of actions of triggers.


def functions_of(checked: Decoded) -> Heads:
    """Return the functions of all lists."""
    return checked.once(_functions)


def _functions(checked: Decoded) -> Heads:
    row = checked.floor_lists.data.row
    rows = np.flatnonzero(row.roles == WordRole.FUNCTION)
    words = row.words[rows].astype(np.int64)
    is_action = np.isin(row.roles, (WordRole.ACTION, WordRole.UNCERTAIN_ACTION))
    actions_before = np.append(0, np.cumsum(is_action))
    ends = np.append(rows[1:], len(row.roles))
    return Heads(
        np.searchsorted(row.places, rows, side="right") - 1,
        words & 0x1F,
        actions_before[ends] - actions_before[rows] if len(rows) else rows,
    )


def list_rooms(checked: Decoded, lists: Ints) -> Ints:
    """Return the first room in which each list is used, (n,), -1 for lists that no sector uses."""
    return checked.once(_list_rooms)[lists]


def _list_rooms(checked: Decoded) -> Ints:
    numbers = checked.floor_lists.numbered(checked.indices)
    rooms = np.full(len(checked.floor_lists.data.starts) + 1, -1, np.int64)
    rooms[numbers[::-1]] = checked.grid.room[::-1]
    return rooms


def model_rows(checked: Decoded, slot: int) -> Ints:
    """Return the rows of the models with an id, mostly one or none."""
    return np.flatnonzero(checked.level.models["id"] == slot)


def model_meshes(checked: Decoded) -> tuple[Ints, Ints]:
    """Return for each mesh of each model the row of the model, and the number of the pointer, each (n,).

    Pointers beyond the last are left out.
    """
    models = checked.level.models
    counts = models["meshes"].astype(np.int64)
    rows = np.repeat(np.arange(len(models)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    meshes = models["first_mesh"].astype(np.int64)[rows] + within
    exists = meshes < len(checked.level.mesh_pointers)
    return rows[exists], meshes[exists]


class Uses(NamedTuple):
    """How faces use object textures, each (textures,) bool."""

    by_quads: Bools
    by_triangles: Bools
    by_rooms: Bools
    by_models: Bools
    by_statics: Bools


def texture_uses(checked: Decoded) -> Uses:
    """Return which faces use each object texture."""
    return checked.once(_texture_uses)


def _texture_uses(checked: Decoded) -> Uses:
    level, game = checked.level, checked.level.game
    count = len(level.object_textures)
    meshes = checked.meshes.meshes
    in_statics = np.zeros(len(meshes), np.bool_)
    numbers = level.static_meshes["mesh"].astype(np.int64)
    in_statics[checked.meshes.pointers[numbers[numbers < len(level.mesh_pointers)]]] = True
    in_models = np.zeros(len(meshes), np.bool_)
    in_models[checked.meshes.pointers[model_meshes(checked)[1]]] = True
    room_mask, mesh_mask = room_texture_mask(game), mesh_texture_mask(game)
    result = [np.zeros(count, np.bool_) for _ in Uses._fields]

    def mark(faces: NDArray[np.void], mask: int, *fields: int) -> None:
        textures = faces["texture"].astype(np.int64) & mask
        for field in fields:
            result[field][textures[textures < count]] = True

    for kind, name in enumerate(("quads", "triangles")):
        mark(join_records([getattr(room, name) for room in level.rooms] or [_NO_FACES]), room_mask, kind, 2)
        for flags, field in ((in_models, 3), (in_statics, 4)):
            faces_of_meshes = [getattr(meshes[number], name) for number in np.flatnonzero(flags).tolist()]
            mark(join_records(faces_of_meshes or [_NO_FACES]), mesh_mask, kind, field)
    return Uses(*result)


_NO_FACES = np.zeros(0, QUAD)
