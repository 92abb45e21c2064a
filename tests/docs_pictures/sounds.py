"""Picture of sounds."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

import bmesh
import bpy
import numpy as np
from bpy.types import Material, Object
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.sounds.waves import decode_wave, read_wave

from ..sample_levels import sample_bytes
from . import empty_file, save
from .cameras import colored, tube
from .example import at, from_above, import_example, only_rooms

_LEFT, _RIGHT = (520, 390), (260, 390)
_BACKGROUND, _AXIS = (29, 29, 33), (70, 70, 78)
_COLORS = ((255, 158, 26), (51, 191, 255), (51, 191, 255), (140, 220, 90))
_ROOMS = "Pillared Hall", "Pillared Hall North", "Pool Chamber", "Cascade"
# Of sounds, and a part of their range in meters, so that the circles fit the picture.
_SOURCES = ((39.6, 1.0, 31.0), 5.0), ((21.5, 3.0, 36.5), 3.0)


def draw(path: Path) -> None:
    """Draw the speakers of a level with a part of their range, and the waves of its samples."""
    from io_tomb_raider.scene.pipeline.importer import import_level
    from io_tomb_raider.scene.subjects.sounds.waves import bytes_of

    empty_file()
    sample = import_level(sample_bytes(Game.TR4)).root
    sounds = [slot.sound for item in sample.tomb_raider.sounds.details for slot in item.samples]
    waves = [decode_wave(read_wave(bytes_of(sound)))[:, 0] for sound in sounds]
    root = import_example()
    rooms = only_rooms(root, _ROOMS)
    # Speakers are drawn as in the viewport: renders leave them out.
    marks = colored("Speaker", (1.0, 0.62, 0.1))
    for place, radius in _SOURCES:
        root.objects.link(_speaker(at(*place), marks))
        steps = (2 * pi * step / 48 for step in range(49))
        ring = [at(*place) + Vector((cos(turn), sin(turn), 0)) * radius for turn in steps]
        root.objects.link(tube(ring, 0.03, colored("Range", (0.2, 0.75, 1.0))))
    overview = from_above(rooms, _LEFT)
    save(path, np.concatenate([overview, _waves(waves)], axis=1))


def _speaker(place: Vector, material: Material) -> Object:
    """Return a cone at the place of a speaker."""
    edit = bmesh.new()
    bmesh.ops.create_cone(edit, cap_ends=True, segments=12, radius1=0.55, radius2=0.15, depth=0.7)
    mesh = bpy.data.meshes.new("Speaker")
    edit.to_mesh(mesh)
    edit.free()
    mesh.materials.append(material)
    made = bpy.data.objects.new("Speaker", mesh)
    made.location = place
    return made


def _waves(waves: list[NDArray[np.int16]]) -> NDArray[np.uint8]:
    """Return a picture of waves, one below the other."""
    width, height = _RIGHT
    out = np.full((height, width, 4), (*_BACKGROUND, 255), np.uint8)
    row = height // len(waves)
    for number, wave in enumerate(waves):
        middle, reach = row * number + row // 2, row // 2 - 8
        out[middle, 10:-10, :3] = _AXIS
        parts = np.array_split(wave.astype(np.float64) / np.abs(wave).max(), width - 20)
        for x, part in enumerate(parts, 10):
            low, high = middle - round(part.max() * reach), middle - round(part.min() * reach)
            out[low : high + 1, x, :3] = _COLORS[number % len(_COLORS)]
    return out
