"""What users want of a kit, by names or ids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...catalogue import names
from ...formats import ExportError, Level
from ...formats.new_levels.choice import Choice

NOTHING = "-"
_EXTRA = re.compile(r" \([^()]*\)$")  # what is filled, in the menu, or far away


class Wanted(NamedTuple):
    """What is wanted of a kit: names, patterns or ids with commas between; "" is all, "-" nothing.

    Attributes:
        models: "Wolf, Door*, 55".
        static_meshes: likewise.
        sprites: likewise.
        sounds: likewise.
    """

    models: str = ""
    static_meshes: str = ""
    sprites: str = ""
    sounds: str = ""


def choice_of(level: Level, wanted: Wanted) -> Choice:
    """Return the ids of what is wanted.

    Lara and all that is hers stay, and what belongs to a model or sprite that is wanted: how it looks filled,
    in the menu, and far away.

    Raises:
        ExportError: where the level has no such thing.
    """
    known = names(level.game)
    models = {int(each): known.model(each) for each in level.models["id"].tolist()}
    sprites = {int(each): known.sprite(each) for each in level.sprite_sequences["id"].tolist()}
    statics = {int(each): known.static(each) for each in level.static_meshes["id"].tolist()}
    sounds = {each: known.sound(each) for each, row in enumerate(level.sound_map.tolist()) if row >= 0}
    chosen_models = _found(models, wanted.models, "model")
    chosen_sprites = _found(sprites, wanted.sprites, "sprite")
    if chosen_models is not None:
        bases = {_base(models[each]) for each in chosen_models}
        if wanted.sprites:
            bases |= {_base(sprites[each]) for each in chosen_sprites or ()}
        belongs = {each for each, name in models.items() if name.startswith("Lara") or _base(name) in bases}
        chosen_models |= belongs
    return Choice(
        chosen_models,
        _found(statics, wanted.static_meshes, "static mesh"),
        chosen_sprites,
        _found(sounds, wanted.sounds, "sound"),
    )


def _base(name: str) -> str:
    return _EXTRA.sub("", name)


def _found(known: dict[int, str], text: str, what: str) -> frozenset[int] | None:
    """Return the ids that a text names; None for all."""
    if not text.strip():
        return None
    found: set[int] = set()
    for part in _parts(text):
        named = _named(known, part)
        if not named:
            raise ExportError("kit", f"it has no {what} that is called {part}")
        found |= named
    return frozenset(found)


def _parts(text: str) -> Iterable[str]:
    parts = (part.strip() for part in text.split(","))
    return [part for part in parts if part and part != NOTHING]


def _named(known: dict[int, str], part: str) -> set[int]:
    if part.isdecimal():
        return {int(part)} & set(known)
    return {each for each, name in known.items() if fnmatchcase(name.lower(), part.lower())}
