"""Views of numbers by their names in a game, as searchable texts.

Text is accepted if it is a known name or ends in a number, so numbers without a name can be typed.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bpy.props import StringProperty
from bpy.types import Collection, Context, PropertyGroup

from ....formats import Game
from ...core.membership import level_holding

if TYPE_CHECKING:
    from ....catalogue import Catalogue

Known = Callable[[PropertyGroup], Mapping[int, str]]


def named(field: str, known: Known, title: Callable[[PropertyGroup], str], name: str, about: str) -> object:
    """Declare a view of an integer property by names.

    Args:
        field: the integer property, whose limits count for typed numbers, too.
        known: returns the names by number.
        title: returns the word before numbers without a name.
    """

    def get(group: PropertyGroup) -> str:
        number = getattr(group, field)
        return known(group).get(number) or f"{title(group)} {number}"

    def put(group: PropertyGroup, text: str) -> None:
        wanted = text.strip().casefold()
        number = next((key for key, each in known(group).items() if each.casefold() == wanted), None)
        if number is None:
            digits = re.search(r"((?<!\S)-?\d+|\d+)\s*$", text)
            number = int(digits[1]) if digits else None
        limits: Any = group.bl_rna.properties[field]
        if number is not None and limits.hard_min <= number <= limits.hard_max:
            setattr(group, field, number)

    def search(group: PropertyGroup, _context: Context, text: str) -> list[str]:
        wanted = text.casefold()
        return [each for each in known(group).values() if wanted in each.casefold()]

    return StringProperty(name=name, description=about, get=get, set=put, search=search)


def game_of(group: PropertyGroup) -> Game | None:
    """Return the game of the level that owns a property group, or None without a level."""
    level = level_holding(group)
    return None if level is None else Game[level.tomb_raider.game]


def catalogue_of(group: PropertyGroup) -> "Catalogue":
    """Return the catalogue of the level of a property group, TR1's without a level."""
    from ....catalogue import names

    level = level_holding(group)
    return names(Game.TR1) if level is None else catalogue_in(level)


def dropped_items(field: str, name: str, about: str) -> object:
    """Declare a view of a text of ids of slots by their names, separated by commas.

    Args:
        field: the text, see :mod:`...subjects.entities.drops`.
    """

    def get(group: PropertyGroup) -> str:
        from ...subjects.entities.drops import parse_drops

        catalogue = catalogue_of(group)
        return ", ".join(
            catalogue.entity(each) if isinstance(each, int) else each
            for each in parse_drops(getattr(group, field))
        )

    def put(group: PropertyGroup, text: str) -> None:
        from ...subjects.entities.drops import show_drops

        catalogue = catalogue_of(group)
        known = {**catalogue.known("sprite"), **catalogue.known("model")}
        numbers = {each.casefold(): number for number, each in reversed(known.items())}
        found: list[int | str] = []
        for part in filter(None, map(str.strip, text.split(","))):
            number = re.fullmatch(r"(?:Entity )?(\d{1,9})", part, re.IGNORECASE)
            typed = int(number[1]) if number is not None else numbers.get(part.casefold())
            found.append(part if typed is None else typed)
        setattr(group, field, show_drops(found))

    return StringProperty(name=name, description=about, get=get, set=put)


def catalogue_in(level: Collection) -> "Catalogue":
    """Return the catalogue of a level's game, with slots of TRX and those in its object catalog."""
    settings = level.tomb_raider
    return _with_slots(Game[settings.game], settings.slot_names, for_trx=settings.engine == "TRX")


@lru_cache(8)  # panels ask with each redraw
def _with_slots(game: Game, slots: str, *, for_trx: bool) -> "Catalogue":
    from ....catalogue import names

    try:
        slot_names = {int(number): str(name) for number, name in json.loads(slots or "{}").items()}
    except (ValueError, AttributeError):
        slot_names = {}
    slot_names = {**(names(game).known("trx") if for_trx else {}), **slot_names}
    return names(game).with_slots(slot_names) if slot_names else names(game)


def by_catalogue(field: str, kind: str, name: str, about: str) -> object:
    """Declare a view of an integer property by the names of a kind in the game's catalogue.

    Args:
        kind: see :meth:`Catalogue.known`, or "entity", which may be a model or a sprite sequence.
    """
    title = _TITLES.get(kind, kind.capitalize())

    def known(group: PropertyGroup) -> Mapping[int, str]:
        catalogue = catalogue_of(group)
        if kind == "entity":
            return {**catalogue.known("sprite"), **catalogue.known("model")}
        return catalogue.known(kind)

    return named(field, known, lambda _group: title, name, about)


_TITLES = {"static": "Static mesh"}
