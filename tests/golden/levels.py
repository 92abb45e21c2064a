"""All golden files by name, and their comparison with the result of a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, Variant, read_level

from . import tr1, tr2, tr3, tr4, tr5
from .words import Grid, Section, Table, joined


@dataclass(frozen=True)
class Golden:
    """A file: its game and variant, its sections, and its bytes at any level of compression."""

    game: Game
    sections: list[Section]
    pack: Callable[[int], bytes]
    variant: Variant = Variant.RETAIL
    trng: bool = False

    @cached_property
    def content(self) -> bytes:
        """The file, compressed at another level than the extension uses."""
        return self.pack(9)

    @cached_property
    def recompressed(self) -> bytes:
        """The file, compressed at the level of the original tools and the extension."""
        return self.pack(6)

    def values(self) -> dict[str, Any]:
        return {section.name: section.value for section in self.sections if section.name}

    def read(self) -> Level:
        return read_level(self.content)

    @cached_property
    def level(self) -> Level:
        """The level, for tests that do not change it."""
        return self.read()


def _plain(game: Game, sections: list[Section], variant: Variant = Variant.RETAIL) -> Golden:
    return Golden(game, sections, lambda _: joined(sections), variant)


def _early(pack: Callable[[int], bytes], sections: list[Section]) -> Golden:
    return Golden(Game.TR4, sections, pack, Variant.EARLY_DEMO)


def _tr4(file: tr4.File, trng: bool = False) -> Golden:
    return Golden(Game.TR4, file.sections(), file.content, trng=trng)


GOLDEN: dict[str, Golden] = {
    "tr1": _plain(Game.TR1, tr1.SECTIONS),
    "tr1-demo": _plain(Game.TR1, tr1.DEMO_SECTIONS, Variant.DEMO),
    "tr2": _plain(Game.TR2, tr2.SECTIONS),
    "tr2-demo": _plain(Game.TR2, tr2.DEMO_SECTIONS, Variant.DEMO),
    "tr3": _plain(Game.TR3, tr3.SECTIONS),
    "tr3-other-version": _plain(Game.TR3, tr3.OTHER_VERSION),
    "tr3-third-version": _plain(Game.TR3, tr3.THIRD_VERSION),
    "tr3-textiles": _plain(Game.TR3, tr3.TEXTILES_ONLY),
    "tr3-textiles-number": _plain(Game.TR3, tr3.TEXTILES_AND_NUMBER),
    "tr4": _tr4(tr4.RETAIL),
    "tr4-demo": _tr4(tr4.DEMO),
    "tr4-beta": _tr4(tr4.BETA),
    "tr4-early-demo": _early(tr4.early_demo, tr4.RETAIL.sections()),
    "tr4-plain-demo": _early(tr4.plain_demo, tr4.RETAIL.sections()),
    "tr4-plain-demo-no-version": _early(tr4.plain_demo_without_version, tr4.RETAIL.sections()[1:]),
    "tr4-trng": _tr4(tr4.TRNG, trng=True),
    "tr4-trng-sounds-elsewhere": _tr4(tr4.TRNG_ELSEWHERE, trng=True),
    "tr5": Golden(Game.TR5, tr5.sections(), tr5.content),
}
each_file = pytest.mark.parametrize("name", GOLDEN)
# One whole file of every game.
each_game = pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])


def differences(path: str, found: Any, value: Any) -> Iterator[str]:
    """Yield the differences between an attribute of a reader and the packed value."""
    if isinstance(value, Table):
        yield from _table_differences(path, found, value)
    elif isinstance(value, Grid):
        if found.shape != value.shape or found.tobytes() != value.content:
            yield path
    elif isinstance(value, bytes):
        if bytes(found) != value:
            yield path
    elif isinstance(value, list) and value and isinstance(value[0], list):
        if len(found) != len(value):
            yield f"{path}: {len(found)} rooms"
        for number, (room, sections) in enumerate(zip(found, value, strict=False)):
            yield from object_differences(f"{path}[{number}]", room, sections)
    else:
        plain = found.tolist() if isinstance(found, np.ndarray) else found
        if plain != value:
            yield f"{path}: {plain} for {value}"


def object_differences(path: str, found: Any, sections: list[Section]) -> Iterator[str]:
    """Yield the differences between a level or a room and its sections."""
    for section in sections:
        if section.name:
            yield from differences(f"{path}.{section.name}", getattr(found, section.name), section.value)


def _table_differences(path: str, found: Any, table: Table) -> Iterator[str]:
    """Yield the differences between structures by field, and of their sizes and field names."""
    if found.dtype.itemsize != table.size or set(found.dtype.names) != set(table.shapes):
        yield f"{path}: fields {found.dtype}"
        return
    for name in table.shapes:
        if found[name].tolist() != table.column(name):
            yield f"{path}[{name!r}]: {found[name].tolist()} for {table.column(name)}"
