"""Results of an export: the level, and the numbers of the scene's objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action, Object

from ....formats import Level, Room
from ....formats.base import T, as_message, joined
from ....formats.editors.wads import Wad2Extras
from ....formats.edits.injections import ElementNumbers
from ....formats.levels.injections import Injection
from .report import Report

# Singular and plural names of rebuilt elements for users, by section, unless they follow from its name.
_WORDS = {
    "ai_objects": ("AI object", "AI objects"),
    "animation_commands": ("animation command", "animation commands"),
    "boxes": ("pathfinding box", "pathfinding boxes"),
    "cinematic_frames": ("frame of the cutscene", "frames of the cutscene"),
    "demo_data": ("start of the demo", "starts of demos"),
    "floor_data": ("word of floor data", "words of floor data"),
    "flyby_cameras": ("flyby camera", "flyby cameras"),
    "footer": ("part of the TRNG footer", "parts of the TRNG footer"),
    "injection": ("block of TRX edits", "blocks of TRX edits"),
    "level settings": ("level setting", "level settings"),
    "mesh_pointers": ("number of a mesh", "numbers of meshes"),
    "mesh_trees": ("skeleton", "skeletons"),
    "meshes": ("mesh", "meshes"),
    "miscellaneous textiles": ("page of the font, sky or shine", "pages of the font, sky or shine"),
    "overlaps": ("link between boxes", "links between boxes"),
    "palette": ("palette color", "palette colors"),
    "palette16": ("color of the second palette", "colors of the second palette"),
    "room_sprites": ("sprite of a room", "sprites of rooms"),
    "room_static_meshes": ("placed static mesh", "placed static meshes"),
    "sample_indices": ("number of a sample", "numbers of samples"),
    "sectors": ("sector of collision", "sectors of collision"),
    "sound_details": ("sound", "sounds"),
    "sound_map": ("entry of the list of sounds", "entries of the list of sounds"),
    "sounds for TRX": ("sound for TRX", "sounds for TRX"),
    "sprite_textures": ("sprite picture", "sprite pictures"),
    "static_meshes": ("static mesh", "static meshes"),
    "textiles": ("texture page", "texture pages"),
    "zones": ("zone", "zones"),
}


def in_words(section: str, count: int) -> str:
    """Return a count of elements of a section in users' words."""
    obj, _, part = section.rpartition(", ")
    plural = part.replace("_", " ")
    singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
    singular_noun, plural_noun = _WORDS.get(section, (singular, plural))
    noun = as_message(singular_noun if count == 1 else plural_noun)
    if obj:
        return T("{count} {noun} of {name}", count=count, noun=noun, name=obj)
    return T("{count} {noun}", count=count, noun=noun)


class Rebuilt(Counter[str]):
    """Numbers of elements that differ from the original, by section of the file."""

    def count(self, section: str, elements: int = 1) -> None:
        """Add rebuilt elements of a section."""
        if elements:
            self[section] += elements

    def summary(self) -> str:
        """Return one line that lists the rebuilt elements in users' words."""
        if not self:
            return T("same as the original")
        changed = joined(", ", (in_words(section, count) for section, count in self.items()))
        return T("changed {changed}", changed=changed)


class ExportedObject(NamedTuple):
    """An exported object."""

    name: str  #: of the object in the scene.
    source: int  #: its number in the original file, -1 for new objects and copies.


class Place(NamedTuple):
    """The place of an object's record in a level."""

    section: str  #: the attribute of the level, or of a room, that is a list of records.
    number: int  #: the index in that list.
    room: int = -1  #: the number of the room, -1 for sections of the level.

    def record(self, level: Level) -> Room | np.void:
        """Return the record: a view of one element of an array, or a room.

        Raises:
            IndexError: if the level has no such record.
        """
        owner: Any = level if self.room < 0 else level.rooms[self.room]
        record: Room | np.void = getattr(owner, self.section)[self.number]
        return record


class ExportedEdits(NamedTuple):
    """The block of TRX's edits with the numbers of the exported level."""

    #: the block, with disabled edits; None without one. Edits keep the keys of the original.
    injection: Injection | None
    numbering: ElementNumbers  #: the numbers of the exported elements.


@dataclass(frozen=True)
class ExportResult:
    """The result of an export."""

    level: Level  #: the exported level.
    report: Report  #: the warnings.
    rebuilt: Rebuilt  #: the numbers of elements that differ from the original, by section.
    #: the number of each action within its model. Like all data-blocks, the keys are valid until the next
    #: undo.
    animations: Mapping[Action, int]
    #: rooms and entities by kind and number in the exported level.
    written: Mapping[tuple[str, int], ExportedObject]
    edits: ExportedEdits | None = None  #: the block of TRX's edits; None for levels without a world.
    #: the imported geometry, see :class:`~...subjects.rooms.imported.ExportedPart`.
    parts: Sequence[Any] = ()
    #: the places of the objects that have one record; valid as the keys of `animations`.
    places: Mapping[Object, Place] = field(default_factory=dict)
    #: what the level lacks, for a WAD2; None if the scene does not have what the WAD2 of its original has.
    extras: Wad2Extras | None = None
