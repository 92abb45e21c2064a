"""Injection files of TRX in the folder of a level: what versions of the engine do not read of them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ....formats import FormatError, Game
from ....formats.base import T, read_file
from ....formats.edits.injections import remarks
from ....formats.levels.injections import INJECTION_SUFFIXES, is_injection, read_injection
from ....formats.levels.views import Severity
from .notes import Note

_MOST = 100  # files that are read


def notes_of_files(folder: str, game: Game) -> list[Note]:
    """Return notes on the injection files in a folder: none for a folder that does not exist."""
    if not folder or not game.traits.has_trx or not os.path.isdir(folder):
        return []
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith(INJECTION_SUFFIXES))
    return [note for name in names[:_MOST] for note in _notes_of(os.path.join(folder, name), game)]


def _notes_of(path: str, game: Game) -> Iterator[Note]:
    name = os.path.basename(path)
    try:
        data = read_file(path)
        if not is_injection(data):
            return
        injection = read_injection(data, game)
    except FormatError as error:
        yield Note("WARNING", name, T("it cannot be read ({error})", error=error.problem))
        return
    except OSError:
        return
    for severity, text in remarks(injection):
        if severity is Severity.WARNING:
            yield Note("WARNING", name, T("{text}. Import it, and export it again", text=text))
        else:
            yield Note("INFO", name, text)
