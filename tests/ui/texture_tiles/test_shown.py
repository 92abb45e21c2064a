"""Tests of tools for what faces show: turned, mirrored, replaced, set for all faces, frames from tiles."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.texture_regions.regions import piece_of
from io_tomb_raider.scene.authoring.texture_tiles.shown import area_of, run_of_tiles, users_of
from io_tomb_raider.scene.authoring.texture_tiles.tile import Tile
from io_tomb_raider.scene.subjects.meshes.layers import read_uvs
from io_tomb_raider.scene.subjects.textures.materials import material_key
from io_tomb_raider.scene.subjects.textures.materials import user_image as image_of
from io_tomb_raider.ui.texture_tiles.shown import TOMB_RAIDER_OT_texture_info
from io_tomb_raider.ui.textures import panels
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.authoring.texture_tiles.tiled_rooms import quads
from tests.scene.page_levels import user_image
from tests.scene.scenes import exported, import_scene, objects
from tests.scene.subjects.textures.face_pictures import first_quad

from ..recorder import Layout, draw
from ..user_actions import export_file, import_file, sample_file
from .brushing import edit, leave, page_image, places_of, set_tile


def corners(obj: Any, face: int) -> dict[tuple[int, int], tuple[float, ...]]:
    """Return the UVs of a quad by the place of its corner, in object mode."""
    uvs = read_uvs(obj.data.uv_layers.active, len(obj.data.loops))
    at = uvs[list(obj.data.polygons[face].loop_indices)].round(5).tolist()
    return {tuple(place): tuple(uv) for place, uv in zip(places_of(obj, face).tolist(), at, strict=True)}


def looks(mesh: Any, faces: Any) -> list[tuple[Any, ...]]:
    """Return blend mode and sides of the materials of faces."""
    found = (mesh.materials[mesh.polygons[face].material_index].tomb_raider for face in faces)
    return [(each.attribute, each.double_sided) for each in found]


# --- Turning and mirroring -------------------------------------------------------------------------


@each_game
def test_selected_faces_are_turned_clockwise(blender: ModuleType, game: Game) -> None:
    """All faces of a room, with turned and mirrored ones among them; four turns are none."""
    data = sample_bytes(game)
    root = import_scene(data)
    obj = objects(root, "ROOM")[0]
    every = range(len(obj.data.polygons))
    shown = [face for face in quads(obj.data) if len(corners(obj, face)) == 4]
    before = {face: corners(obj, face) for face in shown}
    edit(obj, every)
    assert bpy.ops.tomb_raider.turn_texture() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    leave()
    for face in shown:
        old, new = before[face], corners(obj, face)
        if len(set(old.values())) == 4:
            assert new[1, 1] == old[0, 1] and new[1, 0] == old[1, 1] and new[0, 0] == old[1, 0], face
    edit(obj, every)
    for _ in range(3):
        bpy.ops.tomb_raider.turn_texture()
    leave()
    assert exported(root)[0].to_bytes() == data
    edit(obj, every)
    bpy.ops.tomb_raider.turn_texture()
    bpy.ops.tomb_raider.turn_texture(counterclockwise=True)
    leave()
    assert exported(root)[0].to_bytes() == data


@each_game
def test_selected_faces_are_mirrored_left_to_right(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = objects(root, "ROOM")[0]
    shown = [face for face in quads(obj.data) if len(set(corners(obj, face).values())) == 4]
    # Some are turned by a quarter before, for which the other axis of the picture is the horizontal one.
    edit(obj, shown[::2])
    bpy.ops.tomb_raider.turn_texture()
    leave()
    before = {face: corners(obj, face) for face in shown}
    edit(obj, shown)
    assert bpy.ops.tomb_raider.mirror_texture() == {"FINISHED"}
    leave()
    for face in shown:
        new = corners(obj, face)
        assert all(new[1 - x, y] == uv for (x, y), uv in before[face].items()), face


def test_triangles_show_another_half_of_their_tile(blender: ModuleType) -> None:
    """A turn is no shift of the corners' pictures, which would distort them."""
    root = import_scene(sample_bytes(Game.TR3))
    obj = next(each for each in objects(root, "ROOM") if any(f.loop_total == 3 for f in each.data.polygons))
    face = next(each.index for each in obj.data.polygons if each.loop_total == 3)
    loops = list(obj.data.polygons[face].loop_indices)
    layer = obj.data.uv_layers.active
    for loop, uv in zip(loops, ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5)), strict=True):
        layer.uv[loop].vector = uv

    def shown() -> set[tuple[float, ...]]:
        layer = obj.data.uv_layers.active
        return {tuple(np.round(layer.uv[loop].vector, 5)) for loop in loops}

    every = {(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)}
    found = []
    for _ in range(4):
        edit(obj, [face])
        bpy.ops.tomb_raider.turn_texture()
        leave()
        (missing,) = every - shown()
        assert len(shown()) == 3
        found.append(missing)
    assert set(found) == every


# --- Replacing -------------------------------------------------------------------------------------


def level_with_users(game: Game) -> tuple[Collection, Any, int, Any]:
    """Return a level, a room, one of its faces, and the rectangle it shows, which others show, too."""
    root = import_scene(sample_bytes(game))
    for obj in objects(root, "ROOM"):
        for face in quads(obj.data):
            piece: Any = piece_of(obj.data, face)
            if piece is not None and len(users_of(root, piece)) > 1:
                return root, obj, face, piece
    raise AssertionError


@each_game
@pytest.mark.parametrize("scope", ["SELECTED", "MESH", "LEVEL"])
def test_a_tile_is_replaced_in_a_scope(
    blender: ModuleType, game: Game, scope: str, capfd: pytest.CaptureFixture[str]
) -> None:
    root, obj, face, piece = level_with_users(game)
    users = users_of(root, piece)
    here = next(each.faces for each in users if each.mesh == obj.data)
    before = {each.mesh.name: looks(each.mesh, each.faces) for each in users}
    uvs = {each.mesh.name: read_uvs(each.mesh.uv_layers.active, len(each.mesh.loops)) for each in users}
    tiles = user_image(np.full((64, 64, 4), 255, np.uint8), "Tiles")
    # The active tile's own turn and blend mode do not count.
    set_tile(tiles, (16, 0, 32, 32), turns=1, blending="ADDITIVE", double_sided=True)
    edit(obj, [face, *here[:1]])
    count = {"SELECTED": len({face, *here[:1].tolist()}), "MESH": len(here)}
    count["LEVEL"] = sum(len(each.faces) for each in users)
    assert bpy.ops.tomb_raider.replace_tile(scope=scope) == {"FINISHED"}
    assert bpy.context.mode == ("OBJECT" if scope == "LEVEL" else "EDIT_MESH")
    if scope != "LEVEL":
        leave()
    objects_changed = len(users) if scope == "LEVEL" else 1
    assert (
        f"Faces that changed: {count[scope]}, in rooms and meshes: {objects_changed}"
        in capfd.readouterr().out
    )
    changed = 0
    for each in users:
        mesh: Any = each.mesh
        now = [
            image_of(mesh.materials[mesh.polygons[number].material_index]) == tiles for number in each.faces
        ]
        changed += sum(now)
        assert looks(mesh, each.faces) == before[mesh.name]
        after, old = read_uvs(mesh.uv_layers.active, len(mesh.loops)), uvs[mesh.name]
        for number, is_new in zip(each.faces.tolist(), now, strict=True):
            rows = list(mesh.polygons[number].loop_indices)
            if is_new:
                places = (old[rows] - old[rows].min(axis=0)) / np.ptp(old[rows], axis=0)
                assert np.allclose(after[rows], (0.25, 0.5) + places * 0.5, atol=1e-4)
            else:
                assert (after[rows] == old[rows]).all()
    assert changed == count[scope]
    level = read_level(exported(root)[0].to_bytes())
    assert len(level.object_textures) >= len(read_level(sample_bytes(game)).object_textures)


def test_a_replaced_tile_can_be_turned_against_the_old_one(blender: ModuleType) -> None:
    _, obj, face, piece = level_with_users(Game.TR3)
    before = corners(obj, face)
    # Half of the same rectangle of the same page, turned.
    set_tile(piece.image, area_of(piece))
    edit(obj, [face])
    assert bpy.ops.tomb_raider.replace_tile(quarters=2) == {"FINISHED"}
    leave()
    after = corners(obj, face)
    assert all(np.allclose(after[1 - x, 1 - y], uv, atol=0.1) for (x, y), uv in before.items())


@pytest.mark.parametrize("tool", ["replace_tile", "texture_info"])
def test_the_whole_level_is_one_undo_step(blender: ModuleType, tmp_path: Path, tool: str) -> None:
    path = sample_file(tmp_path, "tr3")
    root = import_file(path)
    found = ((obj, face) for obj in objects(root, "ROOM") for face in quads(obj.data))
    obj, face = next((o, f) for o, f in found if len(users_of(root, piece_of(o.data, f))) > 1)  # type: ignore[arg-type]
    set_tile(page_image(root), (8.0, 8.0, 16.0, 16.0))
    edit(obj, [face])
    bpy.ops.ed.undo_push(message="before")
    options = {"blending": "ADDITIVE"} if tool == "texture_info" else {}
    use = getattr(bpy.ops.tomb_raider, tool)
    assert use("EXEC_DEFAULT", True, scope="LEVEL", **options) == {"FINISHED"}
    assert bpy.context.mode == "OBJECT"
    changed = export_file(tmp_path / "changed")
    assert changed != path.read_bytes()
    bpy.ops.ed.undo()
    assert export_file(tmp_path / "undone") == path.read_bytes()
    bpy.ops.ed.redo()
    assert export_file(tmp_path / "redone") == changed


# --- Texture info ----------------------------------------------------------------------------------


@each_game
def test_texture_info_sets_all_faces_with_the_texture(blender: ModuleType, game: Game) -> None:
    root, obj, face, piece = level_with_users(game)
    users = users_of(root, piece)
    edit(obj, [face])
    assert bpy.ops.tomb_raider.texture_info(scope="LEVEL", blending="ALPHA") == {"FINISHED"}
    for each in users:
        assert {attribute for attribute, _ in looks(each.mesh, each.faces)} == {1}
    edit(obj, [face])
    sides = "BOTH" if game.traits.has_double_sided_faces else "KEEP"
    assert bpy.ops.tomb_raider.texture_info(scope="MESH", blending="OPAQUE", sides=sides) == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    leave()
    for each in users:
        wanted = 0 if each.mesh == obj.data else 1
        found = looks(each.mesh, each.faces)
        assert {attribute for attribute, _ in found} == {wanted}
        if wanted == 0 and sides == "BOTH":
            assert {both for _, both in found} == {True}
    exported(root)


def test_texture_info_without_changes_changes_nothing(blender: ModuleType) -> None:
    root, obj, face, _ = level_with_users(Game.TR4)
    edit(obj, [face])
    assert bpy.ops.tomb_raider.texture_info(scope="LEVEL") == {"CANCELLED"}
    if bpy.context.mode != "OBJECT":
        leave()
    assert exported(root)[0].to_bytes() == sample_bytes(Game.TR4)


@pytest.mark.parametrize("tool", ["replace_tile", "texture_info"])
def test_a_face_without_an_image_is_reported_in_edit_mode(blender: ModuleType, tool: str) -> None:
    root, obj, face, _ = level_with_users(Game.TR4)
    obj.data.materials[obj.data.polygons[face].material_index] = bpy.data.materials.new("Plain")
    set_tile(page_image(root), (8.0, 8.0, 16.0, 16.0))
    edit(obj, [face])
    assert getattr(bpy.ops.tomb_raider, tool)(scope="LEVEL") == {"CANCELLED"}
    assert bpy.context.mode == "EDIT_MESH"


def test_a_bump_level_is_refused_before_anything_changes(blender: ModuleType) -> None:
    root, obj, face, _ = level_with_users(Game.TR4)
    edit(obj, [face])
    with pytest.raises(RuntimeError, match="has no height map"):
        bpy.ops.tomb_raider.texture_info(scope="LEVEL", bump="2", blending="ADDITIVE")
    assert bpy.context.mode == "EDIT_MESH"
    leave()
    assert exported(root)[0].to_bytes() == sample_bytes(Game.TR4)


def test_texture_info_plays_an_animated_texture(blender: ModuleType) -> None:
    root, obj, face, _ = level_with_users(Game.TR3)
    group = root.tomb_raider.animated.groups[0]
    edit(obj, [face])
    assert bpy.ops.tomb_raider.texture_info(scope="MESH", animation=str(group.uid)) == {"FINISHED"}
    leave()
    material = obj.data.materials[obj.data.polygons[face].material_index]
    assert material.tomb_raider.animation == group.uid
    edit(obj, [face])
    assert bpy.ops.tomb_raider.texture_info(scope="MESH", animation="0") == {"FINISHED"}
    leave()
    assert obj.data.materials[obj.data.polygons[face].material_index].tomb_raider.animation == 0


def test_texture_info_lists_the_users_of_a_texture(blender: ModuleType) -> None:
    root, obj, face, piece = level_with_users(Game.TR4)
    users = users_of(root, piece)
    edit(obj, [face])
    manager = SimpleNamespace(invoke_props_dialog=lambda tool: {"RUNNING_MODAL"})
    context = SimpleNamespace(
        object=obj, view_layer=bpy.context.view_layer, window_manager=manager, mode="EDIT_MESH"
    )
    info: Any = TOMB_RAIDER_OT_texture_info
    tool: Any = SimpleNamespace(
        layout=Layout(), bl_rna=bpy.ops.tomb_raider.texture_info.get_rna_type(), scope="MESH"
    )
    assert info.invoke(tool, context, None) == {"RUNNING_MODAL"}
    info.draw(tool, context)
    assert tool.layout.names == ["scope", "blending", "sides", "bump", "animation"]
    texts = [name or text for name, text in tool._lines]
    faces = sum(len(each.faces) for each in users)
    rooms = sum(each.obj.tomb_raider.kind == "ROOM" for each in users)
    assert texts[0] == piece.image.name and tool.layout.labels == texts
    assert texts[2] == f"{faces} faces in {rooms} rooms and {len(users) - rooms} meshes"
    leave()
    material = obj.data.materials[obj.data.polygons[face].material_index]
    key: Any = material_key(material, root)
    assert (tool.blending, tool.sides) == (
        ("OPAQUE", "ALPHA", "ADDITIVE")[key.attribute],
        "BOTH" if key.double_sided else "FRONT",
    )


# --- Frames from tiles -----------------------------------------------------------------------------


@each_game
def test_tiles_become_frames_that_faces_play(blender: ModuleType, game: Game) -> None:
    """Painted with the brush, and played: the file has an animated texture of these tiles."""
    root = import_scene(sample_bytes(game))
    obj, image = objects(root, "ROOM")[0], page_image(root)
    count = len(root.tomb_raider.animated.groups)
    set_tile(image, (0.0, 0.0, 16.0, 16.0))
    assert bpy.ops.tomb_raider.add_animated_texture() == {"FINISHED"}
    assert bpy.ops.tomb_raider.add_tile_frame() == {"FINISHED"}
    set_tile(image, (224.0, 16.0, 16.0, 16.0))
    assert bpy.ops.tomb_raider.add_tile_run(count=3) == {"FINISHED"}
    group = root.tomb_raider.animated.groups[count]
    # Clockwise from the lower left, in pixels from the top left.
    square = np.array([(0, 16), (0, 0), (16, 0), (16, 16)])
    frames = [np.reshape(each.corners[:], (4, 2)).tolist() for each in group.frames]
    assert frames == [(square + start).tolist() for start in [(0, 0), (224, 16), (240, 16), (0, 32)]]
    face = first_quad(obj.data)
    set_tile(image, (224.0, 16.0, 16.0, 16.0))
    edit(obj, [face])
    assert bpy.ops.tomb_raider.paint_selected() == {"FINISHED"}
    assert bpy.ops.tomb_raider.play_on_faces() == {"FINISHED"}
    leave()
    level, warnings = exported(root)
    assert not warnings
    before = read_level(sample_bytes(game))
    assert len(level.animated_textures) > len(before.animated_textures)
    assert 4 <= len(level.object_textures) - len(before.object_textures) <= 8


def test_runs_of_tiles_follow_the_grid(blender: ModuleType) -> None:
    image = bpy.data.images.new("Tall", 64, 256)
    tile = Tile(image, (32, 64, 32, 32), 1, True)

    def places(count: int, **options: Any) -> list[tuple[float, ...]]:
        return [each.area[:2] for each in run_of_tiles(tile, count, **options)]

    assert places(4) == [(32, 64), (0, 96), (32, 96), (0, 128)]
    assert places(2, downwards=True) == [(32, 64), (32, 96)]
    assert {(each.turns, each.is_mirrored) for each in run_of_tiles(tile, 3)} == {(1, True)}
    with pytest.raises(ValueError, match="the picture ends before"):
        places(12)
    odd = Tile(image, (5, 0, 20, 20))
    assert [each.area[:2] for each in run_of_tiles(odd, 3)] == [(5, 0), (25, 0), (5, 20)]


def test_frames_need_a_tile_and_quads(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    with pytest.raises(RuntimeError, match="no tile is chosen"):
        bpy.ops.tomb_raider.add_tile_frame()
    set_tile(page_image(root), (250.0, 250.0, 16.0, 16.0))
    with pytest.raises(RuntimeError, match="the picture ends before"):
        bpy.ops.tomb_raider.add_tile_run()
    assert bpy.ops.tomb_raider.add_tile_run.poll()


# --- The panel and the menu ------------------------------------------------------------------------


def test_the_panel_has_the_tools(blender: ModuleType) -> None:
    _, obj, face, _ = level_with_users(Game.TR4)
    edit(obj, [face])
    shown = draw(panels.VIEW3D_PT_tomb_raider_faces, object=obj)
    assert shown is not None
    names = {name.partition(".")[2] for name, _ in shown.operators}
    assert names >= {"turn_texture", "mirror_texture", "texture_info"}
    animated = draw(panels.VIEW3D_PT_tomb_raider_animated_faces, object=obj)
    assert animated is not None and "tomb_raider.add_tile_run" in dict(animated.operators)
    assert "Replace Tile" in shown.texts and "Whole Level" in shown.texts
