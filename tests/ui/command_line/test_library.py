"""Tests of ``library``: all levels of a folder as assets, without duplicates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.assets.catalogs import read_catalogs
from io_tomb_raider.ui.command_line import main as cli
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes, sample_level
from tests.sample_levels.models import model_id
from tests.scene.exporting import export_level
from tests.scene.scenes import objects

from ..user_actions import import_sample, sample_file

Captured = pytest.CaptureFixture[str]


def game_folder(folder: Path) -> Path:
    """Make a game folder:

    a level, a copy, a copy with a faster wolf, a level of another game, and an invalid one.
    """
    game = folder / "game"
    (game / "more").mkdir(parents=True)
    data = sample_bytes(Game.TR1)
    (game / "A.PHD").write_bytes(data)
    (game / "more" / "B.PHD").write_bytes(data)
    level = sample_level(Game.TR1)
    (row,) = np.flatnonzero(level.models["id"] == model_id(Game.TR1, "enemy"))
    level.animations = level.animations.copy()
    level.animations["speed"][int(level.models["animation"][row])] += 1 << 16
    (game / "more" / "C.PHD").write_bytes(level.to_bytes())
    (game / "D.TR2").write_bytes(sample_bytes(Game.TR2))
    (game / "E.TR2").write_bytes(b"no level")
    return game


def append_assets(path: Path) -> list[Any]:
    """Append all assets of a file to an empty one."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), assets_only=True) as (there, here):
        here.collections, here.objects = list(there.collections), list(there.objects)
        here.materials = list(there.materials)
    return [*here.collections, *here.objects, *here.materials]


def tag_of(block: Any) -> str:
    """Return the tag of an asset that says its kind."""
    kinds = {"Model", "Static Mesh", "Sprite", "Room", "Sound", "Material"}
    (found,) = {each.name for each in block.asset_data.tags} & kinds
    return found


def test_equal_pieces_of_many_levels_are_there_once(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    game, out = game_folder(tmp_path), tmp_path / "library"
    assert cli.run(["library", str(game), str(out), "--no-previews"]) == 1
    output = capsys.readouterr()
    assert "E.TR2" in output.err and str(out) in output.out.splitlines()[-1]
    # The second level has no pieces of its own, the third only its wolf.
    assert sorted(each.name for each in out.glob("*.blend")) == ["TR1 A.blend", "TR1 C.blend", "TR2 D.blend"]
    catalogs = read_catalogs(out)
    start_empty()
    first = append_assets(out / "TR1 A.blend")
    wolf = next(each for each in first if each.name.startswith("Wolf"))
    paths = {number: path for path, number in catalogs.items()}
    assert paths[wolf.asset_data.catalog_id] == "Tomb Raider I/Models"
    assert {each.name for each in wolf.asset_data.tags} == {"TR1", "Model", "A", "B"}
    lara = next(each for each in first if each.name == "Lara")
    assert {each.name for each in lara.asset_data.tags} == {"TR1", "Model", "A", "B", "C"}
    counts = Counter(map(tag_of, first))
    level = read_level(sample_bytes(Game.TR1))
    assert counts["Static Mesh"] == len(level.static_meshes) and counts["Room"] == len(level.rooms)
    assert counts["Sprite"] == len(level.sprite_sequences) and counts["Material"]
    (other,) = append_assets(out / "TR1 C.blend")
    assert other.name.startswith("Wolf") and paths[other.asset_data.catalog_id] == "Tomb Raider I/Models/C"
    others = append_assets(out / "TR2 D.blend")
    assert {paths[each.asset_data.catalog_id].split("/")[0] for each in others} == {"Tomb Raider II"}
    # No piece includes its level.
    assert not any(each.tomb_raider.kind in ("LEVEL", "ENTITIES") for each in bpy.data.collections)


def test_a_room_of_a_library_comes_alone(blender: ModuleType, tmp_path: Path) -> None:
    """Rooms refer to others by alternate rooms, portals and collision: these must not be included."""
    (tmp_path / "game").mkdir()
    sample_file(tmp_path / "game")
    out = tmp_path / "out"
    assert cli.run(["library", str(tmp_path / "game"), str(out), "--only", "rooms", "--no-previews"]) == 0
    start_empty()
    (path,) = out.glob("*.blend")
    for name in ("Room 000", "Room 001"):
        start_empty()
        libraries: Any = bpy.data.libraries
        with libraries.load(str(path), assets_only=True) as (_, here):
            here.collections = [name]
        kinds = Counter(each.tomb_raider.kind for each in bpy.data.objects)
        assert kinds["ROOM"] == kinds["COLLISION"] == 1 and not kinds["ENTITY"], kinds


def test_a_library_can_be_written_to_one_file(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    game, out = game_folder(tmp_path), tmp_path / "one" / "game.blend"
    cli.run(["library", str(game), str(tmp_path / "many"), "--no-previews"])
    assert cli.run(["library", str(game), str(out), "--no-previews"]) == 1
    start_empty()
    many = [
        tag_of(each) for path in sorted((tmp_path / "many").glob("*.blend")) for each in append_assets(path)
    ]
    start_empty()
    one = [tag_of(each) for each in append_assets(out)]
    assert Counter(one) == Counter(many) and len(one) == int(capsys.readouterr().out.split()[-5])
    assert read_catalogs(out.parent) == read_catalogs(tmp_path / "many")


def test_a_piece_of_a_library_comes_whole_into_a_level(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    sample_file(tmp_path / "game", "tr2")
    out = tmp_path / "out"
    assert cli.run(["library", str(tmp_path / "game"), str(out), "--only", "models", "--no-previews"]) == 0
    start_empty()
    root = import_sample(tmp_path)
    (path,) = out.glob("*.blend")
    enemy = model_id(Game.TR2, "enemy")
    model = next(each for each in append_assets(path) if each.tomb_raider.model.tomb_raider.model.id == enemy)
    shown = bpy.data.objects.new("Dog", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", model
    shown.location = objects(root, "ENTITY")[1].location
    next(each for each in root.children if each.tomb_raider.kind == "ENTITIES").objects.link(shown)
    level, _ = export_level(root)
    old = read_level(sample_bytes(Game.TR1))
    assert len(level.models) == len(old.models) + 1 and len(level.animations) > len(old.animations)
    assert int(level.entities["type"][-1]) == int(shown.tomb_raider.entity.type)


def test_pieces_have_previews(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    sample_file(tmp_path / "game")
    options = ["--only", "static-meshes", "--only", "sprites"]
    assert cli.run(["library", str(tmp_path / "game"), str(tmp_path / "out"), *options]) == 0
    start_empty()
    (path,) = (tmp_path / "out").glob("*.blend")
    found = append_assets(path)
    pictures = set()
    for each in found:
        width, height = each.preview.image_size
        pixels = np.empty(width * height * 4, np.float32)
        each.preview.image_pixels_float.foreach_get(pixels)
        assert pixels[3::4].any()
        pictures.add(pixels.tobytes())
    assert len(pictures) > 2


def test_a_folder_without_levels_is_an_error(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    assert cli.run(["library", str(tmp_path), str(tmp_path / "out")]) == 2
    assert "there are no levels" in capsys.readouterr().err
    assert cli.run(["library", str(tmp_path / "nowhere"), str(tmp_path / "out")]) == 2
    assert "is not a folder" in capsys.readouterr().err
