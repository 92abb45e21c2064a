"""Names of a level and its items, taken from the game's script."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import PC
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.sample_levels import sample_bytes

from ....formats.levels.game_files.gameflow_samples import gameflow_file
from ....formats.levels.game_files.tr4_script_samples import language_file, script_file
from ...scenes import export_scene, objects

# Types of entities: a key and its keyhole.
_KEY = {Game.TR2: 193, Game.TR3: 224, Game.TR4: 203, Game.TR5: 196}
_HOLE = {Game.TR2: 201, Game.TR3: 232, Game.TR4: 284, Game.TR5: 258}


def level_with_a_key(game: Game) -> Level:
    level = read_level(sample_bytes(game)).copy()
    level.entities = np.concatenate([level.entities, level.entities[-1:], level.entities[-1:]])
    level.entities["type"][-2:] = _KEY[game], _HOLE[game]
    return level


def write_files(folder: Path, game: Game) -> Path:
    """Write a level and, one folder up, the script of its game."""
    (folder / "data").mkdir()
    if game <= Game.TR3:
        (folder / "TOMBPC.DAT").write_bytes(gameflow_file(PC))
        path = folder / "data" / "boat.tr2"
    else:
        (folder / "SCRIPT.DAT").write_bytes(script_file(tr5=game is Game.TR5))
        (folder / "ENGLISH.DAT").write_bytes(
            language_file(
                ([b"Load", b"Angkor Wat", *[b"Thing %d" % n for n in range(2, 400)]], [b"X"], [b"End"])
            )
        )
        path = folder / "data" / ("angkor1.trc" if game is Game.TR5 else "angkor1.tr4")
    path.write_bytes(level_with_a_key(game).to_bytes())
    return path


def names_of(root: Any) -> list[str]:
    return [obj.name for obj in objects(root, "ENTITY")[-2:]]


def of_scripts(made: Any) -> list[str]:
    """Return the warnings of an import, except those about sounds in another file."""
    return [text for text in made.report.warnings if not text.startswith("MAIN.SFX")]


@pytest.mark.parametrize("game", list(_KEY))
def test_the_level_and_its_items_have_the_names_of_the_script(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = write_files(tmp_path, game)
    made = import_level(path)
    title = "Venice" if game <= Game.TR3 else "Thing 3"
    item = "Item 6" if game <= Game.TR3 else "Thing 300"
    assert made.root.tomb_raider.title == title
    key, hole = names_of(made.root)
    assert key.startswith(f"Key item 1 ({item})")
    assert hole.startswith(f"Keyhole 1 ({item})")
    assert not of_scripts(made)
    fog = list(made.root.tomb_raider.level.fog_color)
    assert fog == pytest.approx(
        [0.5] * 3 if game <= Game.TR3 else [128 / 255, 129 / 255, 130 / 255], abs=1e-6
    )
    layer = made.root.tomb_raider.level.sky_layer1
    assert layer.shown == (game > Game.TR3)
    assert export_scene(made.root).to_bytes() == path.read_bytes()


@pytest.mark.parametrize("game", list(_KEY))
def test_a_script_can_be_chosen_or_left_out(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = write_files(tmp_path, game)
    script = next(tmp_path / name for name in ("TOMBPC.DAT", "SCRIPT.DAT") if (tmp_path / name).exists())
    plain = import_level(path, ImportOptions(names_from_script=False))
    assert plain.root.tomb_raider.title == ""
    assert names_of(plain.root)[0].startswith("Key item 1")
    assert not re.search(r"\((?!\d+\))", names_of(plain.root)[0])  # but its number
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("TOMBPC.DAT", "SCRIPT.DAT", "ENGLISH.DAT"):
        if (tmp_path / name).exists():
            (tmp_path / name).rename(elsewhere / name)
    assert import_level(path).root.tomb_raider.title == ""
    chosen = import_level(path, ImportOptions(script=str(elsewhere / script.name)))
    assert chosen.root.tomb_raider.title != ""


@pytest.mark.parametrize("game", list(_KEY))
def test_a_damaged_script_does_not_stop_the_import(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = write_files(tmp_path, game)
    for name in ("TOMBPC.DAT", "SCRIPT.DAT"):
        if (tmp_path / name).exists():
            (tmp_path / name).write_bytes(b"\x03\0\0\0 damaged")
    made = import_level(path)
    assert made.root.tomb_raider.title == ""
    assert len(of_scripts(made)) == 1
    missing = import_level(path, ImportOptions(script=str(tmp_path / "nowhere.dat")))
    assert any("nowhere.dat" in str(warning) for warning in missing.report.warnings)


def test_levels_of_tr1_have_no_script(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "level1.phd"
    path.write_bytes(sample_bytes(Game.TR1))
    (tmp_path / "TOMBPC.DAT").write_bytes(b"not for this game")
    made = import_level(path)
    assert made.root.tomb_raider.title == ""
    assert not of_scripts(made)
