"""Pictures that repeat more often than a page holds them: the file has all pixels."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.collision_from_mesh.make import room_from_mesh
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...authoring.collision_from_mesh.chambers import add_chamber
from ...page_levels import textured, user_image
from ...scenes import import_scene, room_object
from ..textures.face_pictures import show, shown_texels

FLOOR = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])


def colored(width: int, height: int) -> Any:
    """Return a picture whose pixels encode their position in red and green."""
    texels = np.full((height, width, 4), 255, np.uint8)
    texels[..., 0] = np.arange(width) * 2
    texels[..., 1] = np.arange(height)[:, None] * 4
    return user_image(texels, "Bricks")


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_repetitions_that_no_page_holds_are_faces_of_their_own(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    room = add_chamber(0, 8, sectors=1)
    room.data.uv_layers.new()
    room_from_mesh(root, room)
    show(room.data, 0, textured(colored(100, 40)), FLOOR * (5, 1))
    level, report = export_level(root)
    assert not any("shrunk" in each for each in report.warnings)
    assert len(room.data.polygons) == 2
    made = read_level(level.to_bytes())
    assert len(made.rooms[-1].quads) == 4
    pieces = [shown_texels(made, -1, face) for face in range(4)]
    rows = [piece[0, :, 0] for piece in pieces if piece.shape[0] == 40]
    assert sorted(len(row) for row in rows) == [100, 200, 200]
    for row in rows:
        assert row.tolist() == [2 * (x % 100) for x in range(len(row))]


def wide_picture() -> Any:
    """Return a picture of 600 by 300 pixels, whose red and green encode its thirds and halves."""
    texels = np.full((300, 600, 4), 255, np.uint8)
    texels[..., 0] = np.arange(600) // 200 * 80
    texels[..., 1] = np.arange(300)[:, None] // 150 * 80
    return user_image(texels, "Mural")


@pytest.mark.parametrize("extension", ["REPEAT", "EXTEND"])
def test_a_picture_larger_than_a_page_is_cut_or_shrunk_as_chosen(blender: ModuleType, extension: str) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    room = add_chamber(0, 8, sectors=1)
    room.data.uv_layers.new()
    room_from_mesh(root, room)
    material = textured(wide_picture())
    next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE").extension = extension
    show(room.data, 0, material, FLOOR)
    level, report = export_level(root)
    assert any("shrunk" in each for each in report.warnings)
    assert len(level.rooms[-1].quads) == 2
    material.tomb_raider.large = "CUT"
    level, report = export_level(root)
    assert not any("shrunk" in each for each in report.warnings)
    made = read_level(level.to_bytes())
    assert len(made.rooms[-1].quads) == 7
    pieces = [shown_texels(made, -1, face) for face in range(7)]
    murals = [piece for piece in pieces if piece.shape[:2] == (150, 200)]
    colors = {tuple(np.unique(piece[..., :2].reshape(-1, 2), axis=0).ravel().tolist()) for piece in murals}
    assert colors == {(80 * x, 80 * y) for x in range(3) for y in range(2)}
    assert len(room.data.polygons) == 2


def test_repetitions_that_fit_on_a_page_and_level_pages_are_not_cut(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    room = add_chamber(0, 8, sectors=1)
    room.data.uv_layers.new()
    room_from_mesh(root, room)
    show(room.data, 0, textured(colored(50, 40)), FLOOR * (5, 6))
    corridor = room_object(root, 1)
    for corner in corridor.data.polygons[0].loop_indices:
        corridor.data.uv_layers[0].uv[corner].vector *= 40
    before = len(read_level(sample_bytes(Game.TR4)).rooms[1].quads)
    level, _ = export_level(root)
    assert len(level.rooms[-1].quads) == 2
    assert len(level.rooms[1].quads) == before
