"""The object catalog of TRX, `catalog_objects.csv`: the engine's name of each slot of models and sprites.

From 1.11 on, `object_families.json5` and `object_links.json5` say which objects are pickups, and which belong
together, such as a key, its model in the inventory and its keyhole.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from ....base.bytes.files import read_file
from ....base.errors import FormatError, TextError
from ....base.games import Game
from ....base.texts import plain_text
from ..beside import Installed, not_installed
from .json5 import parse
from .trx_gameflow import find_trx_file
from .words import catalog_name

CATALOG = "catalog_objects.csv"
_FAMILIES, _LINKS = "object_families.json5", "object_links.json5"
_UPWARDS = 4  # folders above a level that are searched for these
_ROW = re.compile(r"\s*(\d{1,5})\s*,\s*((?=\D)[\w-]+)\s*,?\s*(?:#.*)?")


def parse_catalog(text: str) -> dict[int, str]:
    """Return the names of slots by number, as words: "Lara skin swap 1" of lara_skin_swap_1.

    Comments, empty rows, and rows that are no slot with a name are skipped, as by the engine. Names before
    1.11, such as O_LARA_SKIN_SWAP_1, give the same words.
    """
    names = {number: _words(name) for number, name in slot_names(text).items()}
    return {number: name for number, name in names.items() if name}


def slot_names(text: str) -> dict[int, str]:
    """Return the engine's names of slots by number, in the spelling of 1.11."""
    rows = (_ROW.fullmatch(line) for line in text.splitlines())
    return {int(row[1]): catalog_name(row[2]) for row in rows if row is not None}


def _words(name: str) -> str:
    """Return a name as words; those with digits within, such as MP5, stay as they are."""
    words = [word.upper() if re.search(r"[a-z]\d", word) else word for word in name.split("_") if word]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def read_catalog(level: Path, game: Game) -> dict[int, str]:
    """Return the names of slots in the catalog for a level; none without one.

    Raises:
        FormatError: if the file is too large.
        OSError: if it cannot be read.
    """
    path = find_trx_file(level, game, CATALOG)
    return {} if path is None else parse_catalog(plain_text(read_file(path)))


class Relations(NamedTuple):
    """What the files of the engine say about the slots of a level."""

    pickups: list[int]
    links: dict[int, list[int]]  #: the slots that belong to a slot, in both directions.


def read_relations(level: Path, game: Game, installed: Installed = not_installed) -> Relations:
    """Return what families and links say about the slots in the catalog for a level.

    They are in folders above the level, or in the installed game.

    Raises:
        FormatError: if a file is damaged.
        OSError: if one cannot be read.
    """
    path = find_trx_file(level, game, CATALOG)
    names = {} if path is None else slot_names(plain_text(read_file(path)))
    slots = {name: slot for slot, name in names.items()}
    if not slots:
        return Relations([], {})
    folder = installed()
    places = (*level.absolute().parents[:_UPWARDS], *(() if folder is None else (folder,)))
    pickups = _members(places, _FAMILIES).get("pickup")
    links: dict[int, list[int]] = {}
    for rows in _members(places, _LINKS).values():
        for row in rows if isinstance(rows, list) else ():
            pair = [slots.get(name) for name in row if isinstance(name, str)] if isinstance(row, list) else []
            if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
                links.setdefault(pair[0], []).append(pair[1])
                links.setdefault(pair[1], []).append(pair[0])
    known = (
        [slots.get(name) for name in pickups if isinstance(name, str)] if isinstance(pickups, list) else []
    )
    return Relations([slot for slot in known if slot is not None], links)


def _members(places: tuple[Path, ...], name: str) -> dict[str, Any]:
    """Return the object in the first file of a name in folders, or in folders `cfg` in these."""
    paths = (each / name for place in places for each in (place, place / "cfg"))
    path = next((each for each in paths if each.is_file()), None)
    if path is None:
        return {}
    try:
        value = parse(plain_text(read_file(path))).value
    except TextError as error:
        raise FormatError(name, "JSON5", str(error), line=error.line, problem=error.problem) from None
    return value if isinstance(value, dict) else {}
