"""The object catalog of TRX, `catalog_objects.csv`: the engine's name of each slot of models and sprites."""

from __future__ import annotations

import re
from pathlib import Path

from ....base.bytes.files import read_file
from ....base.games import Game
from ....base.texts import plain_text
from .trx_gameflow import find_trx_file

CATALOG = "catalog_objects.csv"
_ROW = re.compile(r"\s*(\d{1,5})\s*,\s*O_(\w+)\s*,?\s*(?:#.*)?")


def parse_catalog(text: str) -> dict[int, str]:
    """Return the names of slots by number, as words: "Lara skin swap 1" of O_LARA_SKIN_SWAP_1.

    Comments, empty rows, and rows that are no slot with a name are skipped, as by the engine.
    """
    rows = (_ROW.fullmatch(line) for line in text.splitlines())
    names = {int(row[1]): _words(row[2]) for row in rows if row is not None}
    return {number: name for number, name in names.items() if name}


def _words(name: str) -> str:
    """Return a name as words; those with digits within, such as MP5, stay as they are."""
    words = [word if re.search(r"[A-Z]\d", word) else word.lower() for word in name.split("_") if word]
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
