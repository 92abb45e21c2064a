"""Differential tests: a piece is the same in the exported level by every road."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from io_tomb_raider.formats import Game

from .kinds import AS_CONVERTED, KINDS, differing, has_piece
from .roads import arrived, departed

_SHOWN = 4  # differences in a failure
PAIRS = [(source, game) for source in Game for game in Game if source is not game]


def _cases() -> Iterator[tuple[Game, Game, str, str]]:
    # All kinds of one road and pair in a row.
    for source, game in PAIRS:
        for kind, (_, _, roads) in {**KINDS, **AS_CONVERTED}.items():
            for road in roads:
                if has_piece(kind, road, source, game):
                    yield source, game, road, kind


@pytest.mark.parametrize(("source", "game", "road", "kind"), list(_cases()))
def test_a_piece_is_the_same_on_every_road(
    extension: ModuleType, source: Game, game: Game, road: str, kind: str
) -> None:
    there = departed(source)
    level, refusal = arrived(road, source, game)
    if kind == "sectors":
        assert refusal == ""
    if kind in AS_CONVERTED:
        read = AS_CONVERTED[kind].read
        expected = read(arrived("convert", source, game).level, there)
    else:
        read, expect, _ = KINDS[kind]
        expected = expect(read(there, there), source, game)
    assert differing(read(level, there), expected)[:_SHOWN] == []
