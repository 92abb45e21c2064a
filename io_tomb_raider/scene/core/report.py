"""What an import or export has to tell the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# What users call an element of what was rebuilt, one and several, where its section has another name.
_WORDS = {
    "ai_objects": ("AI object", "AI objects"),
    "animation_commands": ("animation command", "animation commands"),
    "boxes": ("box of the ways of enemies", "boxes of the ways of enemies"),
    "cinematic_frames": ("frame of the cutscene", "frames of the cutscene"),
    "demo_data": ("start of the demo", "starts of demos"),
    "floor_data": ("word of what sectors do", "words of what sectors do"),
    "flyby_cameras": ("flyby camera", "flyby cameras"),
    "footer": ("part of the TRNG footer", "parts of the TRNG footer"),
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
    "sprite_textures": ("sprite picture", "sprite pictures"),
    "static_meshes": ("static mesh", "static meshes"),
    "textiles": ("texture page", "texture pages"),
    "zones": ("zone", "zones"),
}


def first_few(names: Sequence[str], most: int) -> str:
    """Return names as one text; of many the rest is counted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def in_words(section: str, count: int) -> str:
    """Say how many elements of a section there are, as users call them."""
    thing, _, part = section.rpartition(", ")
    plural = part.replace("_", " ")
    singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
    one, more = _WORDS.get(section, (singular, plural))
    return f"{count} {one if count == 1 else more}{f' of {thing}' if thing else ''}"


class Told(NamedTuple):
    """A warning.

    Attributes:
        subject: the name of what it is about: an object, a datablock, or a part of the level.
        text: what is to be said of it.
    """

    subject: str
    text: str


class WrittenThing(NamedTuple):
    """A thing as an export has written it.

    Attributes:
        name: of its object in the scene.
        source: the number that it had in the file, -1 for new ones and copies.
    """

    name: str
    source: int


@dataclass
class Report:
    """Warnings, and what an export rebuilt.

    Attributes:
        told: the warnings, in their order; the same one is kept once, and there may be very many.
        rebuilt: for every section of the file that was not written as it was read, how many of its
            elements differ.
        animations: what actions of models are written as, by their names: numbers within their model.
        written: rooms and entities by their kind and the number that they are written under.
        is_checked: what was written is checked afterwards, which tells of portals without a twin.
    """

    told: dict[Told, None] = field(default_factory=dict)
    rebuilt: Counter[str] = field(default_factory=Counter)
    animations: dict[str, int] = field(default_factory=dict)
    written: dict[tuple[str, int], WrittenThing] = field(default_factory=dict)
    is_checked: bool = False

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain sentences, each naming what it is about."""
        return [f"{subject}: {text}" for subject, text in self.told]

    def warn(self, subject: str, text: str) -> None:
        self.told[Told(subject, text)] = None

    def warn_all(self, subject: str, texts: Iterable[str]) -> None:
        """Warn of several things about one object."""
        for text in texts:
            self.warn(subject, text)

    def warn_again(self, other: Report) -> None:
        """Warn of what another report tells, too."""
        for each in other.told:
            self.warn(*each)

    def count(self, section: str, elements: int = 1) -> None:
        """Note that elements of a section were rebuilt."""
        if elements:
            self.rebuilt[section] += elements

    def summary(self) -> str:
        """Return one line that says in users' words what was rebuilt."""
        if not self.rebuilt:
            return "nothing was changed"
        changed = ", ".join(in_words(section, count) for section, count in self.rebuilt.items())
        return f"changed {changed}"
