"""Tests of tiles on faces: the texels that a game shows, in all games, and what stays as it was."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.base.units import SECTOR_SIZE
from io_tomb_raider.scene.authoring.texture_tiles.painting import (
    TileFit,
    coplanar_faces,
    faces_of_group,
    paint,
    tile_of,
)
from io_tomb_raider.scene.authoring.texture_tiles.tile import Tile, has_holes
from io_tomb_raider.scene.mesh.blender_mesh import read_all, read_shape
from io_tomb_raider.scene.subjects.textures.materials import image_node
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.page_levels import user_image
from tests.scene.scenes import changes, exported, import_scene
from tests.scene.subjects.textures.face_pictures import first_quad, shown_texels

from .tiled_rooms import is_upright, quads, room, tiles_of, uvs_of

STRETCHED = TileFit()


@each_game
def test_a_game_shows_the_tile(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = room(root)
    image, texels = tiles_of(4)
    face = first_quad(obj.data)
    paint(root, obj, [face], Tile(image, (0, 16, 8, 8)), STRETCHED)
    level, _ = exported(root)
    number = quads(obj.data).index(face)
    shown = shown_texels(level, 0, number)
    # TR1 has a palette, TR2 and later 5 bits per color.
    assert shown.shape == (8, 8, 4)
    if game >= Game.TR2:
        assert (np.abs(shown.astype(int) - texels[16:24])[..., :3] <= 8).all()


@each_game
def test_the_tile_of_another_face_needs_no_new_object_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        obj = room(root)
        one, other = quads(obj.data)[:2]
        tile = tile_of(root, obj, other, (0.0, 1.0))
        assert tile is not None
        paint(root, obj, [one], tile, STRETCHED)

    found = changes(data, edit)
    assert all(path[0] == "rooms" for path in found), found


@each_game
def test_a_face_keeps_its_tile(blender: ModuleType, game: Game) -> None:
    """What is picked and painted again is as it was, for all faces of a room that show upright rectangles."""

    done = []

    def edit(root: Collection) -> None:
        obj = room(root)
        for face in range(len(obj.data.polygons)):
            tile = tile_of(root, obj, face, (0.0, 1.0))
            if tile is not None and is_upright(obj.data, face):
                paint(root, obj, [face], tile, STRETCHED)
                done.append(face)

    assert changes(sample_bytes(game), edit) == [] and len(done) > 5


@each_game
def test_many_faces_share_object_textures(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    before = len(exported(root)[0].object_textures)
    obj = room(root)
    image, _ = tiles_of(1)
    paint(root, obj, quads(obj.data), Tile(image, (0, 0, 8, 8)), STRETCHED)
    added = len(exported(root)[0].object_textures) - before
    # One for each corner that a face of the file may begin with, and for both windings.
    assert 1 <= added <= 4


def test_edit_mode_and_object_mode_do_the_same(blender: ModuleType) -> None:
    found = []
    for in_edit_mode in (False, True):
        root = import_scene(sample_bytes(Game.TR4))
        obj = room(root)
        image, _ = tiles_of(4)
        faces = list(range(0, len(obj.data.polygons), 2))
        if in_edit_mode:
            bpy.context.view_layer.objects.active = obj
            bpy.ops.object.mode_set(mode="EDIT")
        paint(root, obj, faces, Tile(image, (0, 8, 8, 8), 1, True), STRETCHED)
        if in_edit_mode:
            bpy.ops.object.mode_set(mode="OBJECT")
        materials = [obj.data.materials[face.material_index] for face in obj.data.polygons]
        slots = [image_node(each).image == image for each in materials]
        found.append((uvs_of(obj.data), slots))
    assert np.allclose(found[0][0], found[1][0], atol=1e-6) and found[0][1] == found[1][1]


def test_materials_are_made_once(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = room(root), tiles_of(2)[0]
    face, before = first_quad(obj.data), len(bpy.data.materials)
    for attribute in (0, 1, 0, 1):
        paint(root, obj, [face], Tile(image, (0, 0, 8, 8), attribute=attribute), STRETCHED)
    assert len(bpy.data.materials) == before + 2
    sides = Tile(image, (0, 0, 8, 8), is_double_sided=True)
    paint(root, obj, [face], sides, STRETCHED)
    material = obj.data.materials[obj.data.polygons[face].material_index]
    assert not material.use_backface_culling and len(bpy.data.materials) == before + 3


def test_a_deleted_page_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = room(root)
    tile = tile_of(root, obj, first_quad(obj.data), (0.0, 1.0))
    assert tile is not None
    entry = next(each for each in root.tomb_raider.images if each.image == tile.image)
    for material in list(bpy.data.materials):
        bpy.data.materials.remove(material)
    page, entry.page = entry.page, 200
    with pytest.raises(ExportError, match=f"texture page {page}"):
        paint(root, obj, [0], tile, STRETCHED)


def test_holes_are_seen(blender: ModuleType) -> None:
    texels = np.full((16, 8, 4), 255, np.uint8)
    texels[2, 3, 3] = 0
    image = user_image(texels)
    assert has_holes(image, (0, 0, 8, 8)) and not has_holes(image, (0, 8, 8, 8))


# --- Walls in scale --------------------------------------------------------------------------------


def wall(root: Collection, width: float, height: float) -> Any:
    """Return the first room with one wall alone, of a size in sectors, that faces south."""
    obj = room(root)
    side = SECTOR_SIZE * root.tomb_raider.scale
    mesh: Any = obj.data
    edited = bmesh.new()
    edited.from_mesh(mesh)
    edited.clear()
    points = [(0, 0, 0), (width, 0, 0), (width, 0, height), (0, 0, height)]
    edited.faces.new([edited.verts.new([part * side for part in point]) for point in points])
    edited.to_mesh(mesh)
    edited.free()
    return obj


@pytest.mark.parametrize("in_edit_mode", [False, True])
@pytest.mark.parametrize(
    ("width", "height", "pieces"), [(1, 1, 1), (1, 0.5, 1), (1, 2.5, 3), (2, 1, 2), (3, 2, 6)]
)
def test_walls_keep_the_scale(
    blender: ModuleType, width: float, height: float, pieces: int, in_edit_mode: bool
) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = wall(root, width, height), tiles_of(1)[0]
    if in_edit_mode:
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
    paint(root, obj, [0], Tile(image, (0, 0, 8, 8)), TileFit(keeps_scale=True))
    if in_edit_mode:
        bpy.ops.object.mode_set(mode="OBJECT")
    mesh, side = obj.data, SECTOR_SIZE * root.tomb_raider.scale
    assert len(mesh.polygons) == pieces
    shape, uvs = read_shape(mesh), uvs_of(mesh)
    assert uvs.min() > -1e-5 and uvs.max() < 1 + 1e-5
    for face in range(pieces):
        rows = slice(int(shape.starts[face]), int(shape.starts[face] + shape.sizes[face]))
        at = shape.positions[shape.corners[rows]][:, [0, 2]] / side
        # The picture is as large as a sector, and begins at its corner.
        assert np.allclose(uvs[rows], at - np.floor(at.mean(axis=0)), atol=1e-4)


def test_neighbors_of_cut_walls_keep_their_corners(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = wall(root, 1, 2), tiles_of(1)[0]
    mesh, side = obj.data, SECTOR_SIZE * root.tomb_raider.scale
    edited = bmesh.new()
    edited.from_mesh(mesh)
    far = [edited.verts.new((0, side, side * up)) for up in (0, 2)]
    edited.verts.ensure_lookup_table()
    edited.faces.new([far[0], edited.verts[0], edited.verts[3], far[1]])
    edited.to_mesh(mesh)
    edited.free()
    paint(root, obj, [0], Tile(image, (0, 0, 8, 8)), TileFit(keeps_scale=True))
    assert sorted(face.loop_total for face in mesh.polygons) == [4, 4, 4]


def test_endless_walls_are_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = wall(root, 1, 500), tiles_of(1)[0]
    with pytest.raises(ExportError, match="too large for the tile"):
        paint(root, obj, [0], Tile(image, (0, 0, 8, 8)), TileFit(keeps_scale=True))
    assert len(obj.data.polygons) == 1


# --- Finding faces ---------------------------------------------------------------------------------


def test_fills_end_where_the_plane_ends(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = room(root)
    side = SECTOR_SIZE * root.tomb_raider.scale
    edited = bmesh.new()
    # Three floors in a row, the last one a step higher; each has vertices of its own.
    for place, height in ((0, 0.0), (1, 0.0), (2, 0.25)):
        points = [(place, 0, height), (place + 1, 0, height), (place + 1, 1, height), (place, 1, height)]
        edited.faces.new([edited.verts.new([part * side for part in point]) for point in points])
    # A wall at their side, and a floor of the same height that nothing connects.
    for points in (
        [(0, 1, 0.0), (1, 1, 0), (1, 1, 1), (0, 1, 1)],
        [(7, 0, 0.0), (8, 0, 0), (8, 1, 0), (7, 1, 0)],
    ):
        edited.faces.new([edited.verts.new([part * side for part in point]) for point in points])
    edited.to_mesh(obj.data)
    edited.free()
    shape = read_all(obj.data)
    assert coplanar_faces(shape, 1, side).tolist() == [0, 1]
    assert coplanar_faces(shape, 3, side).tolist() == [3]
    assert faces_of_group(root, obj, shape, 0).tolist() == [0, 1, 2, 4]
    assert faces_of_group(root, obj, shape, 3).tolist() == [3]


def test_only_painted_faces_change(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    before, _ = exported(root)
    obj, image = room(root), tiles_of(1)[0]
    paint(root, obj, [quads(obj.data)[0]], Tile(image, (0, 0, 8, 8)), STRETCHED)
    after, _ = exported(root)
    found = [path for path in differences(before, after) if path[0] == "rooms"]
    assert found == [("rooms", 0, "quads", "texture", 0, "value")] or len(found) <= 2, found
