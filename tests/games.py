"""What runs once for each game; `-k TR4` runs what runs for that game."""

from __future__ import annotations

import pytest

from io_tomb_raider.formats import Game

# Decorates a test with an argument `game`.
each_game = pytest.mark.parametrize("game", list(Game))
