"""Tests of object files as levels of the other games."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.convert.objects import objects_for_game
from io_tomb_raider.formats.edits.new_levels.kit import kit_of
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.textures.face_words import mesh_texture_mask
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.packing import object_texture_rects
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.findings import Severity
from tests.sample_levels import sample_level

OTHERS = [game for game in Game if game is not Game.TR4]


def objects() -> Level:
    """Return the objects of a level of TR4; one mesh has double-sided and additive faces."""
    level = kit_of(sample_level(Game.TR4))
    block = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    mesh = block.meshes[0]
    mesh.quads = mesh.quads.copy()
    mesh.quads["texture"][0] |= 0x8000
    mesh.quads["effects"][1] |= 1
    encoded = [encode_mesh(Game.TR4, mesh), *(each.raw for each in block.meshes[1:])]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)
    return level


def meshes(level: Level) -> list[Mesh]:
    return decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes


def colors(level: Level, words: np.ndarray) -> list[tuple[int, ...]]:
    """Return the mean color of the texture of each face."""
    rects = object_texture_rects(level.object_textures, level.game)
    pages = decode_pages(pages_of(level)._replace(opaque=None))
    found = []
    for word in words.astype(np.int64) & mesh_texture_mask(level.game):
        page, x, y, w, h = rects[word].tolist()
        found.append(tuple(pages[page, y : y + h, x : x + w, :3].reshape(-1, 3).mean(axis=0)))
    return found


@pytest.mark.parametrize("game", OTHERS, ids=lambda game: game.name)
def test_objects_are_those_of_the_file(game: Game) -> None:
    source = objects()
    made = read_level(objects_for_game(source, game).to_bytes(), name="a.trc" if game is Game.TR5 else "a")
    assert made.game is game
    assert [each.text for each in check_level(made) if each.severity is Severity.ERROR] == []
    assert made.models["id"].tolist() == source.models["id"].tolist()
    assert made.static_meshes["id"].tolist() == source.static_meshes["id"].tolist()
    for one, other in zip(meshes(made), meshes(source), strict=True):
        assert np.array_equal(one.vertices, other.vertices) and (one.normals is None) == (
            other.normals is None
        )
        count = len(other.quads)
        assert np.array_equal(one.quads["vertices"][:count], other.quads["vertices"])
        near = np.abs(
            np.array(colors(made, one.quads["texture"][:count]))
            - np.array(colors(source, other.quads["texture"]))
        )
        assert near.max(initial=0) < 24  # palettes and 15 bits of color
    before = decode_frames(Game.TR4, source.frames, source.animations, source.models)
    after = decode_frames(game, made.frames, made.animations, made.models)
    assert not after.problems
    for number in range(len(source.animations)):
        old, new = before.keys(number), after.keys(number)
        assert np.array_equal(old.offsets, new.offsets) and np.array_equal(old.boxes, new.boxes)
        apart = (old.angles.astype(np.int64) - new.angles + 0x8000) % 0x10000 - 0x8000
        assert np.abs(apart).max(initial=0) <= 32
    for model in made.models[made.models["meshes"] > 0]:
        if model["animation"] != 0xFFFF:
            assert model["frame_offset"] == made.animations["frame_offset"][model["animation"]]


def test_double_sided_and_additive_faces() -> None:
    source = objects()
    old = objects_for_game(source, Game.TR1)
    (front, back) = meshes(old)[0].quads[[0, len(meshes(source)[0].quads)]]
    assert back["vertices"].tolist() == front["vertices"].tolist()[::-1]
    uv = old.object_textures["uv"]
    assert np.array_equal(uv[int(back["texture"])], uv[int(front["texture"])][::-1])
    new = objects_for_game(source, Game.TR3)
    quads = meshes(new)[0].quads
    assert len(quads) == len(meshes(source)[0].quads) and quads["texture"][0] & 0x8000
    decoded = decode_object_textures(new.object_textures, Game.TR3)
    assert decoded.attribute[int(quads["texture"][1])] == 2
    assert (old.static_meshes["flags"] & 2).all()


def test_levels_of_the_same_game_stay() -> None:
    source = objects()
    assert objects_for_game(source, Game.TR4) is source
