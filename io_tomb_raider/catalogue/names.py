"""The catalogue of one game: names and notes by kind and number, read from this folder's text files.

A file has sections: a line ``[kind]``, or ``[animation 12]``, ``[state 12]`` and ``[ocb 12]`` for model 12,
then lines of a number, a tab and a name; after another tab there may be a note, which says what the element
does or needs. ``[animation 0, as in tr3]`` begins with a copy of the same section of TR3's file. Names are
ASCII, at most 50 characters, and unique within their section. Notes are messages: their translations are
looked up by their text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..formats.base import Game
from .tables import table_lines
from .terms import ACTIONS, FUNCTIONS, MATERIALS, TRIGGERS

# Compiled on use: Blender's startup imports this module.
_HEADER = r"\[(\w+)(?: (\d+))?(?:, as in (\w+))?\]"
_ITEM = (
    r"(?P<kind>Key item|Keyhole|Puzzle item|Puzzle hole|Pickup item|Examine)"
    r" (?P<number>\d+)(?: combo (?P<part>\d+))?(?: \([a-z ]+\))?"
)
_KINDS_OF_ITEMS = {
    "Key item": "Key",
    "Keyhole": "Key",
    "Puzzle item": "Puzzle",
    "Puzzle hole": "Puzzle",
    "Pickup item": "Pickup",
    "Examine": "Examine",
}
_MIP = "MIP)"  # ends the names of models that are shown from afar
_NOTHING: Mapping[int, str] = MappingProxyType({})
NOTED = ("model", "sprite", "flipeffect", "function")  # kinds with notes
_NOTES = "notes of "  # and the kind: the section of its notes


class Catalogue:
    """The names of one game. Every method returns a name, made of the number if it is unknown."""

    def __init__(self, game: Game, sections: Mapping[tuple[str, int], Mapping[int, str]]) -> None:
        self.game = game  #: the game.
        self._sections = sections

    def known(self, kind: str, model: int = 0) -> Mapping[int, str]:
        """Return all names of a kind by number, in numeric order, for selection lists.

        Args:
            kind: "model", "static", "sprite", "sound", "track", "animation", "state", "ocb", "flipeffect" or
                "trx", for slots that the engine TRX adds, or "function".
            model: the model, for animations and states; the type of the entity, for its OCB.
        """
        return self._sections.get((kind, model), _NOTHING)

    @staticmethod
    def numbered(name: str, number: int) -> str:
        """Return a name with a number after it, in brackets if it ends with a number: "Door 1 (18)"."""
        return f"{name} ({number})" if name[-1:].isdigit() else f"{name} {number}"

    def note(self, kind: str, number: int) -> str:
        """Return what an element does or needs, as an English message; "" if there is no note.

        Kinds are those of :meth:`known`, and "entity", which may be a model or a sprite sequence.
        """
        kinds = ("model", "sprite") if kind == "entity" else (kind,)
        return next((note for each in kinds if (note := self.notes(each).get(number))), "")

    def notes(self, kind: str) -> Mapping[int, str]:
        """Return all notes of a kind by number."""
        return self.known(_NOTES + kind)

    def entity(self, number: int) -> str:
        """Return the name of a type of entity, which is a model or a sprite sequence."""
        name = self.known("model").get(number) or self.known("sprite").get(number)
        return name or f"Entity {number}"

    def model(self, number: int) -> str:
        """Return the name of a model by its id, the type of the entities that use it."""
        return self.known("model").get(number) or f"Model {number}"

    def far_model(self, number: int) -> int | None:
        """Return the model that is shown instead of a model from afar (chapter 5.4), or None without one."""
        name = self.known("model").get(number + 1, "")
        return number + 1 if _MIP in name and _MIP not in self.model(number) else None

    def near_model(self, number: int) -> int | None:
        """Return the model that a model replaces from afar, or None if it is shown by itself."""
        return number - 1 if self.far_model(number - 1) == number else None

    def static(self, number: int) -> str:
        """Return the name of a static mesh by its id."""
        return self.known("static").get(number) or f"Static mesh {number}"

    def sprite(self, number: int) -> str:
        """Return the name of a sprite sequence by its id."""
        return self.known("sprite").get(number) or f"Sprite {number}"

    def sound(self, number: int) -> str:
        """Return the name of a sound by its index in the sound map."""
        return self.known("sound").get(number) or f"Sound {number}"

    def animation(self, model: int, number: int) -> str:
        """Return the name of an animation by its number among those of its model."""
        return self.known("animation", model).get(number) or f"Animation {number}"

    def state(self, model: int, number: int) -> str:
        """Return the name of a state of a model's animations."""
        return self.known("state", model).get(number) or f"State {number}"

    def flipeffect(self, number: int) -> str:
        """Return the name of a flipeffect (documentation, chapter 9.9)."""
        return self.known("flipeffect").get(number) or f"Flipeffect {number}"

    def material(self, number: int) -> str:
        """Return the name of a sector's material for footsteps, TR3 to TR5 (documentation, chapter 3.2.3)."""
        return MATERIALS.get(number) or f"Material {number}"

    def trigger(self, number: int, *, trng: bool = False) -> str:
        """Return the name of a type of trigger (documentation, chapter 4.5)."""
        if trng and number == 0x0C:
            return "Condition"
        return TRIGGERS.get(number) or f"Trigger {number}"

    def action(self, number: int, *, trng: bool = False) -> str:
        """Return the name of a trigger's action (documentation, chapter 4.6)."""
        if trng and number == 0x0B:
            return "TRNG action"
        return ACTIONS.get(number) or f"Action {number}"

    def with_items(self, items: Mapping[tuple[str | int, ...], str]) -> Catalogue:
        """Return a catalogue in which names of items include those of a level's script.

        Items are named as in :class:`~..formats.levels.game_files.level_names.LevelNames`.
        """
        sections = dict(self._sections)
        for kind in ("model", "sprite"):
            renamed = {number: _with_item(name, items) for number, name in self.known(kind).items()}
            sections[kind, 0] = MappingProxyType(renamed)
        return Catalogue(self.game, sections)

    def with_slots(self, slots: Mapping[int, str]) -> Catalogue:
        """Return a catalogue with names of models and sprites that have none in the game's own list.

        The names are by number, as of the object catalog of TRX.
        """
        named = {**self.known("sprite"), **self.known("model")}
        used = {name.casefold() for name in named.values()}
        models = dict(self.known("model"))
        for number, name in slots.items():
            if number not in named:
                models[number] = self.numbered(name, number) if name.casefold() in used else name
                used.add(models[number].casefold())
        models = dict(sorted(models.items()))
        return Catalogue(self.game, {**self._sections, ("model", 0): MappingProxyType(models)})

    def with_animations(self, animations: Mapping[int, Mapping[int, str]]) -> Catalogue:
        """Return a catalogue with other names of animations, by model and number."""
        sections = dict(self._sections)
        for model, new_names in animations.items():
            animation_names = dict(self.known("animation", model)) | dict(new_names)
            sections["animation", model] = MappingProxyType(dict(sorted(animation_names.items())))
        return Catalogue(self.game, sections)

    def function(self, number: int) -> str:
        """Return the name of a function of floor data (documentation, chapter 4.4)."""
        return self.known("function").get(number) or FUNCTIONS.get(number) or f"Function {number}"


def _with_item(name: str, items: Mapping[tuple[str | int, ...], str]) -> str:
    """Append a script's name of an item to its name: Key item 1 (Tomb Key), Keyhole 1 (Tomb Key)."""
    match = re.fullmatch(_ITEM, name)
    if not match:
        return name
    kind = _KINDS_OF_ITEMS[match["kind"]]
    part = (f"{kind}Combo", int(match["number"]), int(match["part"])) if match["part"] else ()
    item = items.get(part or (kind, int(match["number"])))
    if not item:
        return name
    return f"{name[:-1]}, {item})" if name.endswith(")") else f"{name} ({item})"


def unnamed(game: Game) -> Catalogue:
    """Return a catalogue for models of another engine: their numbers are unknown, but Lara is 0."""
    return Catalogue(game, {("model", 0): MappingProxyType({0: names(game).model(0)})})


@cache
def names(game: Game) -> Catalogue:
    """Return the catalogue of a game, cached."""
    return Catalogue(game, _read(f"tr{int(game)}"))


@cache
def _read(stem: str) -> Mapping[tuple[str, int], Mapping[int, str]]:
    """Return a file's sections by kind and model, each with its names by number."""
    sections: dict[tuple[str, int], dict[int, str]] = {}
    section: dict[int, str] = {}
    for line in table_lines(stem):
        header = re.fullmatch(_HEADER, line)
        if header:
            key = header[1], int(header[2] or 0)
            source = _read(header[3]) if header[3] else {}
            section = sections.setdefault(key, dict(source.get(key, {})))
        elif line:
            number, name, *note = line.split("\t")
            section[int(number)] = name
            if note:
                sections.setdefault((_NOTES + key[0], key[1]), {})[int(number)] = note[0]
    return {key: MappingProxyType(dict(sorted(section.items()))) for key, section in sections.items()}
