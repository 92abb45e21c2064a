"""Marking objects of a level as assets: data for the browser, and clearing of the marks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import Game
from io_tomb_raider.scene.assets.assets import KINDS, Asset, assets_of, marked_blocks
from io_tomb_raider.scene.assets.catalogs import FILE, catalog_id, catalog_path, read_catalogs, write_catalogs
from io_tomb_raider.scene.assets.marks import mark, unmark
from io_tomb_raider.scene.assets.previews import SIZE, draw_previews
from io_tomb_raider.scene.core.reporting.progress import finish
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ..scenes import export_scene, import_scene, objects


def preview(asset: Asset) -> NDArray[np.float32]:
    """Return the pixels of an asset's preview, (height, width, 4)."""
    found: Any = asset.block
    assert tuple(found.preview.image_size) == (SIZE, SIZE)
    pixels = np.empty(SIZE * SIZE * 4, np.float32)
    found.preview.image_pixels_float.foreach_get(pixels)
    return pixels.reshape(SIZE, SIZE, 4)


@each_game
def test_assets_have_tags_and_catalogs(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    made = mark(root, assets_of(root, KINDS))
    kinds = {each.kind for each in made.assets}
    # The samples of TR2 and TR3 are in MAIN.SFX, which is missing.
    silent = not any(slot.sound for item in root.tomb_raider.sounds.details for slot in item.samples)
    assert kinds == set(KINDS) - ({"SOUNDS"} if silent else set())
    labels = {"TR1": "Tomb Raider I", "TR4": "The Last Revelation"}
    for asset in made.assets:
        block: Any = asset.block
        assert {each.name for each in block.asset_data.tags} == {game.name, KINDS[asset.kind][0], root.name}
        assert block.asset_data.description.startswith(asset.name)
        path = next(each for each, number in made.catalogs.items() if number == block.asset_data.catalog_id)
        assert path.split("/")[1:] == [KINDS[asset.kind][1], root.name]
        assert path.split("/")[0] == labels.get(game.name, path.split("/")[0])
    enemy = next(
        each for each in made.assets if each.kind == "MODELS" and each.number == model_id(game, "enemy")
    )
    assert enemy.name == names(game).model(enemy.number) and isinstance(enemy.block, bpy.types.Collection)
    # Marks do not change the level, and are cleared without a trace.
    assert export_scene(root).to_bytes() == data
    assert len(marked_blocks(root)) == len(made.assets)
    assert unmark(root, KINDS) == len(made.assets) and not marked_blocks(root)
    assert not any(each.tomb_raider.is_property_set("game") for each in bpy.data.objects)
    assert not any(
        isinstance(each.data, bpy.types.Speaker) and not each.users_collection for each in bpy.data.objects
    )
    assert export_scene(root).to_bytes() == data


def test_previews_show_the_pieces(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    scenes = len(bpy.data.scenes)
    made = mark(root, assets_of(root, KINDS))
    assert finish(draw_previews(made.assets)) == len(made.assets)
    seen: dict[bytes, str] = {}
    for asset in made.assets:
        pixels = preview(asset)
        share = float((pixels[..., 3] > 0).mean())
        assert 0.005 < share, asset.name
        if asset.kind == "SPRITES":
            assert np.abs(_middle(pixels) - len(pixels) / 2).max() < 4, asset.name
        if asset.kind in ("MODELS", "ROOMS"):
            other = seen.setdefault(pixels.tobytes(), asset.name)
            assert other == asset.name
    # Temporary data-blocks for rendering are removed.
    assert len(bpy.data.scenes) == scenes
    assert not [each.name for each in bpy.data.objects if each.name.startswith(("Preview", "Picture"))]


def _middle(pixels: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the middle of what is not clear in a picture, from its lower left corner."""
    rows, columns = np.nonzero(pixels[..., 3] > 0)
    return np.array([(rows.min() + rows.max() + 1) / 2, (columns.min() + columns.max() + 1) / 2])


def test_only_chosen_objects_are_marked(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 7)
    room = objects(root, "ROOM")[1]
    found = assets_of(root, KINDS, [entity, room])
    assert {(each.kind, each.number) for each in found if each.kind != "MATERIALS"} == {
        ("MODELS", 7),
        ("ROOMS", 1),
    }
    assert {each.block for each in found if each.kind == "MATERIALS"} <= set(room.data.materials)
    mark(root, found)
    assert unmark(root, KINDS, [entity]) == 1
    assert {each.name for each in marked_blocks(root)} >= {room.users_collection[0].name}


def test_a_chosen_sound_source_is_its_sound(blender: ModuleType) -> None:
    """A speaker of the user's, which no level plays, is no sound of it."""
    root = import_scene(sample_bytes(Game.TR1))
    source = objects(root, "SOUND_SOURCE")[0]
    speaker = bpy.data.objects.new("Mine", bpy.data.speakers.new("Mine"))
    found = assets_of(root, KINDS, [source, speaker])
    assert [(each.kind, each.number) for each in found] == [("SOUNDS", source.tomb_raider.sound_source.sound)]
    assert assets_of(root, KINDS, [speaker]) == []


def test_marking_twice_adds_no_assets(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    counts = []
    for _ in range(2):
        mark(root, assets_of(root, KINDS))
        counts.append((len(marked_blocks(root)), len(bpy.data.objects), len(bpy.data.speakers)))
    assert counts[0] == counts[1]


def test_assets_are_deleted_with_their_level(blender: ModuleType) -> None:
    kinds = ("objects", "collections", "materials", "images", "speakers", "sounds", "actions", "meshes")

    def there() -> dict[str, int]:
        return {kind: len(getattr(bpy.data, kind)) for kind in kinds}

    before = there()
    root = import_scene(sample_bytes(Game.TR1))
    delete_level(root)
    empty = there()
    root = import_scene(sample_bytes(Game.TR1))
    mark(root, assets_of(root, KINDS))
    delete_level(root)
    assert there() == empty == before


# --- Catalogs ----------------------------------------


def test_catalogs_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    own = "11111111-2222-3333-4444-555555555555"
    file = tmp_path / FILE
    file.write_text(f"# mine\nVERSION 1\n\n{own}:Tomb Raider I/Models:Models of mine\nno catalog")
    assert read_catalogs(tmp_path) == {"Tomb Raider I/Models": own}
    write_catalogs(tmp_path, ["Tomb Raider I/Models", "Tomb Raider I/Rooms"])
    lines = file.read_text().splitlines()
    number = catalog_id("Tomb Raider I/Rooms")
    assert lines[:5] == [
        "# mine",
        "VERSION 1",
        "",
        f"{own}:Tomb Raider I/Models:Models of mine",
        "no catalog",
    ]
    above = catalog_id("Tomb Raider I")
    assert lines[5:] == [
        f"{above}:Tomb Raider I:Tomb Raider I",
        f"{number}:Tomb Raider I/Rooms:Tomb Raider I-Rooms",
    ]
    before = file.read_bytes()
    write_catalogs(tmp_path, ["Tomb Raider I/Rooms"])
    assert file.read_bytes() == before


def test_a_new_file_of_catalogs_is_as_blender_writes_it(tmp_path: Path) -> None:
    path = catalog_path("Tomb Raider I", "Models", "A: b/c\nd")
    assert path == "Tomb Raider I/Models/A- b-c-d"
    write_catalogs(tmp_path, [path])
    lines = [each for each in (tmp_path / FILE).read_text().splitlines() if each and not each.startswith("#")]
    # With their parents, which Blender would otherwise add automatically, as an unsaved change.
    paths = ["Tomb Raider I", "Tomb Raider I/Models", path]
    assert lines[0] == "VERSION 1"
    assert [each.split(":") for each in lines[1:]] == [
        [catalog_id(each), each, each.replace("/", "-")] for each in paths
    ]


@pytest.mark.parametrize("path", ["Tomb Raider I/Models", "Chronicles/Rooms/x"])
def test_a_catalog_has_the_same_number_in_all_files(path: str) -> None:
    assert catalog_id(path) == catalog_id(path) != catalog_id(path + "2")
