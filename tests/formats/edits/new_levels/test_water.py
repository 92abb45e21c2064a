"""Detection of a level's water: its pictures in playback order, if there are any."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.new_levels.kit import kit_of
from io_tomb_raider.formats.edits.new_levels.water import find_water
from io_tomb_raider.formats.levels.textures.animated import encode_animated
from tests.games import each_game
from tests.sample_levels import sample_level
from tests.sample_levels.textures import PAGES

_CLOSE = 12  # of 255: the error of 256 colors, or 32 levels


@each_game
def test_the_pictures_of_water_are_found(game: Game) -> None:
    level = sample_level(game)
    look = find_water(level)
    assert look is not None and look.attribute == (2 if game.value >= Game.TR3.value else 0)
    wanted = np.stack([PAGES[0][f"water{number}"]() for number in range(3)])
    assert look.pictures.shape == wanted.shape
    assert np.abs(look.pictures.astype(int) - wanted).mean() < _CLOSE
    # Each is nearest to its own picture: they are in order.
    away = np.abs(look.pictures[:, None].astype(int) - wanted).mean(axis=(2, 3, 4))
    assert away.argmin(axis=1).tolist() == [0, 1, 2]


def test_only_water_counts() -> None:
    level = sample_level(Game.TR3)
    assert find_water(kit_of(level)) is None  # no rooms
    still = sample_level(Game.TR3)
    still.animated_textures = encode_animated([])
    look = find_water(still)
    assert look is not None and len(look.pictures) == 1 and look.attribute == 2
    for room in level.rooms:
        room.flags |= 1
    assert find_water(level) is None  # no surface between water and water
    damaged = sample_level(Game.TR1)
    damaged.object_textures = damaged.object_textures[:0]
    assert find_water(damaged) is None
