"""Bake Light: into vertices of rooms, placed static meshes, and the ambient light of rooms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats.levels.lights import pack_light
from ...core.reporting.progress import Listener, Work, finish
from ...subjects.lights.object_lighting import light_level
from .formula import by_formula
from .seams import find_seams, join_seams
from .subject import AMBIENT, CYCLES, ROOMS, BakeOptions, BakeTarget, find_subject
from .written import read_room, write_ambient, write_placement, write_room


class Baked(NamedTuple):
    """The result of a bake."""

    rooms: int  #: the number of rooms.
    vertices: int  #: the number of their vertices, if these were baked.
    static_meshes: int  #: the number of placed static meshes.


def bake_light(root: Collection, options: BakeOptions, listener: Listener | None = None) -> Baked:
    """Bake light into a level. Results are written only after all of them are computed.

    Raises:
        ExportError: if there is nothing to bake, or an object is at no finite place.
    """
    return finish(bake_steps(root, options), listener)


def bake_steps(root: Collection, options: BakeOptions) -> Work[Baked]:
    """Bake light step by step, see :func:`bake_light`. The last step writes the results."""
    subject = find_subject(root, options)
    if options.method == CYCLES:
        from .cycles import cycles_brightness

        brightness = yield from cycles_brightness(subject, options)
    else:
        brightness = yield from by_formula(subject, options)
    packed = {room: pack_light(subject.game, values) for room, values in brightness.places.items()}
    vertices = 0
    if ROOMS in options.targets:
        _join(subject, packed)
        for room in subject.baked:
            vertices += write_room(subject.game, subject.shapes[room], packed[room])
    for obj, values in brightness.placements.items():
        write_placement(subject.game, obj, values)
    if AMBIENT in options.targets:
        for room in subject.baked:
            if len(brightness.places[room]):
                write_ambient(subject.game, room, brightness.places[room].mean(axis=0))
    light_level(root)
    return Baked(len(subject.baked), vertices, len(brightness.placements))


def _join(subject: BakeTarget, packed: dict[Object, NDArray[np.int32]]) -> None:
    """Average light where rooms meet. Rooms that are not baked keep theirs."""
    seams = find_seams(subject.root, subject.shapes, subject.space)
    near = {
        room for pairs in (seams.shared, seams.one_sided) for pair in pairs for room in (pair[0], pair[2])
    }
    light = dict(packed)
    for room in near - packed.keys():
        light[room] = read_room(subject.game, subject.shapes[room])
    join_seams(seams, light, set(packed))
