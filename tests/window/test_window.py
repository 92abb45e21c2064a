"""Tests of the parts that need no window: required programs, questions, and text search in a picture."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import build
from io_tomb_raider.formats import Game, read_level
from tests.games import each_game
from tests.sample_levels import sample_bytes

from . import __main__ as command
from .inside import Channel
from .lettering import likeness, places
from .levels import write_tiles
from .levels_of_games import SHADES, TILE, TILE_COLORS
from .reading import animations_of_file, rooms_of_file
from .screen import Screen
from .tools import NEEDED, MissingError, find_tools

pytestmark = pytest.mark.once


def test_all_missing_programs_are_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError) as caught:
        find_tools(None)
    reply = str(caught.value)
    assert all(
        f"  {name} (" in reply and f"apt install {package}" in reply for name, (_, package) in NEEDED.items()
    )
    assert "Blender" in reply and "--blender" in reply
    for name in (*NEEDED, "blender"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_tools(None).blender == tmp_path / "blender"
    with pytest.raises(MissingError, match="nowhere/blender is no program"):
        find_tools("nowhere/blender")


def test_the_command_line_is_parsed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert build.main(["window", "--blender", "4.3/blender", "--only", "nothing", "out"]) == 2
    reply = capfd.readouterr().err
    assert "invalid choice: 'nothing'" in reply and "games" in reply
    options = command.parse(["--only", "rooms", "--docs", "out"])
    assert (options.only, options.docs, options.output) == (["rooms"], True, Path("out"))


def test_only_known_questions_are_answered(blender: ModuleType, tmp_path: Path) -> None:
    channel, answer = Channel(tmp_path), tmp_path / "answer.json"
    assert channel.answer() > 0 and not answer.exists()
    question = {"ask": "object", "number": 7, "name": "nothing of this name"}
    (tmp_path / "question.json").write_text(json.dumps(question))
    channel.answer()
    assert json.loads(answer.read_text()) == {"number": 7, "value": {}}
    assert not (tmp_path / "question.json").exists()
    (tmp_path / "question.json").write_text(json.dumps({"ask": "print", "number": 8}))
    channel.answer()
    reply = json.loads(answer.read_text())
    assert reply["number"] == 8 and "no question print" in reply["error"] and "value" not in reply


def test_rooms_of_an_exported_level_are_read_back(tmp_path: Path) -> None:
    """Sectors and the colors at corners of faces, as the chapters compare them."""
    path = tmp_path / "level.tr4"
    path.write_bytes(sample_bytes(Game.TR4))
    level, hall = read_level(path), rooms_of_file(str(path))[0]
    room = level.rooms[0]
    assert np.shape(hall["walls"]) == (room.x_sectors, room.z_sectors) and not hall["walls"][1][1]
    low = room.sectors["floor"].reshape(room.x_sectors, room.z_sectors)[1, 1]
    assert hall["floors"][1][1] == [-float(low)] * 4
    assert len(hall["quads"]) == len(room.quads)
    quad = hall["quads"][0]
    # A floor: its corners are in one plane, in meters, and the pixels near them are not all alike.
    assert np.ptp(quad["corners"], axis=0).tolist() == [2, 2, 0]
    assert np.ptp(quad["colors"], axis=0).max() > 20


@each_game
def test_animations_of_an_exported_level_are_read_back(tmp_path: Path, game: Game) -> None:
    """Key frames, transitions and joints, as the chapters compare them."""
    path = tmp_path / "level"
    path.write_bytes(sample_bytes(game))
    level, found = read_level(path), animations_of_file(str(path))
    assert len(found) == 12
    run, stand = found[0], found[11]
    assert (run["ticks"], run["next"], stand["ticks"], stand["next"]) == (21, 0, 80, 11)
    assert [1, 0, 79, 6, 0] in stand["changes"]
    assert level.frames.tobytes().startswith(bytes.fromhex("".join(run["bytes"])))
    joints = np.array(run["joints"])
    assert joints.shape == (21, 15, 3)
    left, right, head = joints[:, 3], joints[:, 6], joints[:, 14]
    # The left foot is in front at the start of the run, and the right one half a run later.
    assert left[0, 1] > 0.3 > right[0, 1] and right[10, 1] > 0.3 > left[10, 1]
    assert (left[:, 0] < right[:, 0]).all() and (head[:, 2] > 1).all() and (left[:, 2] < 1).all()


def test_steps_are_actions_without_turns_of_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    tools: Any = None
    screen = Screen(tools)
    monkeypatch.setattr(screen, "_do", lambda *_words: None)
    screen.scroll((5, 5), 3)
    screen.click((5, 5))
    screen.key("g", "z")
    assert (screen.actions, screen.steps) == (4, 3)


def test_the_tile_set_has_its_colors_in_the_order_of_the_shades(blender: ModuleType, tmp_path: Path) -> None:
    write_tiles(tmp_path / "tiles.png")
    image = blender.data.images.load(str(tmp_path / "tiles.png"))
    assert tuple(image.size) == (TILE * len(TILE_COLORS), TILE)
    rows = np.array(image.pixels[:]).reshape(TILE, -1, 4)[::-1]
    for number, color in enumerate(TILE_COLORS.values()):
        left, near, far = number * TILE, TILE // 4, 3 * TILE // 4
        shown = [rows[y, left + x, :3] * 255 for y in (near, far) for x in (near, far)]
        wanted = np.array(color) * np.array(SHADES)[:, None]
        assert np.abs(np.array(shown) - wanted).max() < 1


def test_drawn_words_are_found_in_bright_and_dark_colors() -> None:
    random = np.random.default_rng(5)
    drawn = np.zeros((14, 40), np.float32)
    drawn[3:11, 6:34] = random.random((8, 28)) > 0.5
    other = np.zeros((14, 40), np.float32)
    other[3:11, 6:34] = random.random((8, 28)) > 0.5
    picture = np.full((120, 200), 0.3, np.float32)
    picture[20:34, 30:70] += 0.6 * drawn
    picture[80:94, 130:170] -= 0.2 * drawn
    picture[50:64, 30:70] += 0.6 * other
    found = places(likeness(picture, drawn), *drawn.shape)
    assert sorted((x, y) for _, x, y in found) == [(48, 27), (148, 87)]
    assert [round(score, 2) for score, _, _ in found] == [1.0, 1.0]
