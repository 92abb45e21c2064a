"""Decorator of tests that run once for each game; `-k TR4` selects one game."""

from __future__ import annotations

import pytest

from io_tomb_raider.formats import Game

# Parametrizes a test with an argument `game`.
each_game = pytest.mark.parametrize("game", list(Game))
