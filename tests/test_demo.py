"""Tests of the demo: its check, and whether its pictures show levels like the games."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from tests import demo, demo_edits, pictures
from tests.sample_levels import sample_bytes

SMALL = (96, 54)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_the_demo_shows_its_edits_and_finds_nothing_else(
    blender: ModuleType, game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.run_example(game, tmp_path, SMALL)
    assert "exactly what was edited differs" in capsys.readouterr().out
    folder = tmp_path / game.name
    names = {path.name.rsplit(" - ")[0] for path in folder.glob("* - before.png")}
    assert len(names) == 5
    for name in names:
        before, after = (pictures.load(folder / f"{name} - {when}.png") for when in ("before", "after"))
        assert before.shape == after.shape
        assert before[..., :3].std() > 5, f"{name} is empty"
        assert (before != after).any(), f"{name} does not show the edits"


def test_an_unintended_difference_is_found(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    other = level.copy()
    other.entities = level.entities.copy()
    other.entities["x"][2] += 1
    painting = demo_edits.Painting("", demo_edits.Texture(0, (0, 0, 1, 1)))
    problems = demo_edits.unexpected(level, other, [], painting)
    assert any("('entities', 2, 'x')" in problem for problem in problems)
    # And that the painted texture does not differ.
    assert any("painted" in problem for problem in problems)


def test_a_missing_edit_is_found(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    painting = demo_edits.Painting("", demo_edits.Texture(0, (0, 0, 0, 0)))
    edit = demo_edits.Edit("", frozenset({("entities", 0, "x")}))
    problems = demo_edits.unexpected(level, level, [edit], painting)
    assert problems == ["was edited, but does not differ: ('entities', 0, 'x')"]


def test_pictures_are_saved_and_loaded_the_right_way_up(blender: ModuleType, tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    assert np.array_equal(pictures.load(pictures.save(tmp_path / "picture.png", pixels)), pixels)
