"""Rules for the headers and layers of TR5's rooms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints
from ...base.bytes.bits import join_records
from ...base.messages import N_
from ...levels.lights.lights import PLACEHOLDER_TYPE
from ...levels.rooms.rooms_tr5 import is_unchanged
from ...levels.views.decoded import Decoded
from .rule import CROFTENGINE, NO_PLACES, OPENTOMB, ORIGINAL, TR5, TRVIEW, Harm, Places, Rule, where


def _headers(checked: Decoded) -> tuple[NDArray[np.void], Ints]:
    """Return the headers of TR5's rooms that are written as they are, (n,), and their rooms."""
    return checked.once(_read_headers)


def _read_headers(checked: Decoded) -> tuple[NDArray[np.void], Ints]:
    rooms = [number for number, room in enumerate(checked.level.rooms) if is_unchanged(room)]
    headers = [checked.level.rooms[number].header for number in rooms]
    none = np.zeros(0, [("x", np.int32)])
    return (join_records(headers) if headers else none), np.array(rooms, np.int64)


def _no_vertex_count(checked: Decoded) -> Places:
    headers, numbers = _headers(checked)
    if not len(numbers):
        return NO_PLACES
    rooms = [checked.level.rooms[number] for number in numbers.tolist()]
    has_faces = np.array([len(room.quads) + len(room.triangles) > 0 for room in rooms])
    return numbers[has_faces & (headers["vertices"] & 0xFFFF == 0)]


def _layer_sums(checked: Decoded) -> Places:
    headers, numbers = _headers(checked)
    if not len(numbers):
        return NO_PLACES
    rooms = [checked.level.rooms[number] for number in numbers.tolist()]
    sums = np.array(
        [
            [int(room.layers[name].sum(dtype=np.int64)) for name in ("quads", "triangles", "vertices")]
            for room in rooms
        ]
    )
    has_layers = np.array([len(room.layers) > 0 for room in rooms])
    wrong = (headers["quads"] != sums[:, 0]) | (headers["triangles"] != sums[:, 1])
    wrong |= (headers["vertex_bytes"] != 28 * sums[:, 2]) | (
        headers["faces_offset"] != headers["faces_offset2"]
    )
    return numbers[has_layers & wrong | (headers["lights"] != headers["lights2"])]


def _layer_bounds(checked: Decoded) -> Places:
    rooms = checked.level.rooms
    layers = join_records([room.layers for room in rooms])
    vertices = join_records([room.vertices for room in rooms])
    counts = layers["vertices"].astype(np.int64)
    owner = np.repeat(np.arange(len(rooms)), [len(room.layers) for room in rooms])
    layer = np.repeat(np.arange(len(layers)), counts)
    if len(layer) != len(vertices):
        return NO_PLACES  # the export refuses such a room
    positions = np.stack([vertices[axis] for axis in "xyz"], axis=1)
    bounds = layers["bounds"].reshape(-1, 2, 3)
    low, high = bounds.min(axis=1)[layer] - 1, bounds.max(axis=1)[layer] + 1
    outside = (positions < low).any(axis=1) | (positions > high).any(axis=1)
    return owner[np.unique(layer[outside])]


def _header_places(checked: Decoded) -> Places:
    headers, numbers = _headers(checked)
    if not len(numbers):
        return NO_PLACES
    has_layers = headers["layers"] > 0
    moved = (headers["position"][:, 0] != headers["x"]) | (headers["position"][:, 2] != headers["z"])
    return numbers[has_layers & moved]


def _placeholders(checked: Decoded) -> Places:
    counts = [
        int((room.lights["type"] == PLACEHOLDER_TYPE).sum()) > len(room.fog_bulbs)
        for room in checked.level.rooms
    ]
    return where(np.array(counts, np.bool_))


def _wet_vertices(checked: Decoded) -> Places:
    rooms = checked.level.rooms
    layers = join_records([room.layers for room in rooms])
    owner = np.repeat(np.arange(len(rooms)), [len(room.layers) for room in rooms])
    wet = layers["water_vertices"].astype(np.int64) + layers["shore_vertices"]
    return owner[wet > layers["vertices"]]


TR5_RULES = (
    Rule(
        "vertex count of rooms",
        Harm.MISSING,
        TR5,
        (ORIGINAL,),
        N_(
            "the original game does not draw it: its header has no number of vertices. "
            "Export with Rebuild Everything"
        ),
        _no_vertex_count,
        "room",
    ),
    Rule(
        "layer sums",
        Harm.CRASH,
        TR5,
        (OPENTOMB, CROFTENGINE, ORIGINAL),
        N_("OpenTomb and CroftEngine end: the numbers of its header are not those of its layers"),
        _layer_sums,
        "room",
    ),
    Rule(
        "layer bounds",
        Harm.MISSING,
        TR5,
        (ORIGINAL,),
        N_("parts of it vanish at the edge of the view: {count} of its layers are larger than their bounds"),
        _layer_bounds,
        "room",
    ),
    Rule(
        "room position",
        Harm.WRONG,
        TR5,
        (ORIGINAL,),
        N_("dynamic light shines at another place: its header has two positions"),
        _header_places,
        "room",
    ),
    Rule(
        "placeholder lights",
        Harm.CRASH,
        TR5,
        (TRVIEW,),
        N_("trview reads beyond its fog bulbs: it has more lights that represent bulbs"),
        _placeholders,
        "room",
    ),
    Rule(
        "water vertices",
        Harm.WRONG,
        TR5,
        (OPENTOMB, ORIGINAL),
        N_("waves move wrong vertices: {count} of its layers have more water vertices than vertices"),
        _wet_vertices,
        "room",
    ),
)
