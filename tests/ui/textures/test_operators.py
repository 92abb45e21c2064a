"""Tests of the operators for faces and for animated textures, and of their panels."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.face_words import color_index
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.scene.subjects.meshes.arrays import LIGHT
from io_tomb_raider.scene.subjects.textures.palettes import COLORS, Palettes
from io_tomb_raider.ui.sprites import panels as sprites
from io_tomb_raider.ui.textures import image_panels as image
from io_tomb_raider.ui.textures import material_panels as material
from io_tomb_raider.ui.textures import panels as textures
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import objects
from tests.scene.subjects.textures.reliefs import BUMPED_PAGE, bumped

from ..recorder import draw, shown
from ..user_actions import edit_faces, export_file, fails, import_file, import_sample, sample_file

each_late_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


def finished(folder: Path) -> Any:
    """Leave edit mode, and return the exported level."""
    bpy.ops.object.mode_set(mode="OBJECT")
    return read_level(export_file(folder / "out"))


def plain_face(obj: Any, corners: int = 4) -> int:
    """Return a face with an opaque page and no animation."""
    for face in obj.data.polygons:
        settings = obj.data.materials[face.material_index].tomb_raider
        what = settings.kind, settings.attribute, settings.animation
        if what == ("PAGE", 0, 0) and face.loop_total == corners:
            return int(face.index)
    raise AssertionError("no such face")


def room_attributes(level: Any) -> dict[int, int]:
    """Return the numbers of faces of the first room by blend mode."""
    from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
    from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask

    decoded = decode_object_textures(level.object_textures, level.game)
    found: dict[int, int] = {}
    for faces in decode_faces(level.game, level.rooms[0]):
        for word in (faces.texture.astype(int) & room_texture_mask(level.game)).tolist():
            mode = int(decoded.attribute[word])
            found[mode] = found.get(mode, 0) + 1
    return found


@each_game
def test_blending_of_selected_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[0]
    edit_faces(room, plain_face(room))
    assert bpy.ops.tomb_raider.set_blending(blending="ALPHA") == {"FINISHED"}
    assert room.mode == "EDIT"
    old, new = read_level(sample_bytes(game)), finished(tmp_path)
    before, after = room_attributes(old), room_attributes(new)
    assert after[1] == before.get(1, 0) + 1
    assert after[0] == before[0] - 1
    assert len(new.object_textures) == len(old.object_textures) + 1
    (found,) = differences(old, new)
    assert found[:4] == ("rooms", 0, "quads", "texture")


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_both_sides_of_selected_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[0]
    face = plain_face(room)
    before = room.data.materials[room.data.polygons[face].material_index].tomb_raider.double_sided
    edit_faces(room, face)
    assert bpy.ops.tomb_raider.set_double_sided(double_sided=not before) == {"FINISHED"}
    old, new = read_level(sample_bytes(game)), finished(tmp_path)
    found = differences(old, new)
    assert len(found) == 1
    assert found[0][:4] == ("rooms", 0, "quads", "texture")
    row = found[0][4]
    words = [int(level.rooms[0].quads["texture"][row]) for level in (old, new)]
    assert words[0] ^ words[1] == 0x8000


def effects(level: Any, number: int) -> list[int]:
    mesh = decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes[number]
    return [*mesh.quads["effects"].tolist(), *mesh.triangles["effects"].tolist()]


@each_late_game
def test_shine_of_selected_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    obj = objects(root, "MODEL_MESH")[0]
    number = obj.data.tomb_raider.index
    edit_faces(obj, 1)
    assert bpy.ops.tomb_raider.set_shine(shines=True, strength=20) == {"FINISHED"}
    old, new = read_level(sample_bytes(game)), finished(tmp_path)
    before, after = effects(old, number), effects(new, number)
    changed = [row for row in range(len(before)) if before[row] != after[row]]
    assert [after[row] for row in changed] == [20 << 2 | 2 | before[changed[0]] & 1]
    assert {path[:2] for path in differences(old, new)} == {("meshes", number)}
    edit_faces(obj, 1)
    assert bpy.ops.tomb_raider.set_shine(shines=False, strength=0) == {"FINISHED"}
    assert effects(finished(tmp_path), number)[changed[0]] & ~1 == 0


@each_late_game
def test_a_mesh_with_light_of_its_own_cannot_shine(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    obj = objects(root, "MODEL_MESH")[0]
    obj.data.attributes.new(LIGHT, "INT", "POINT")
    edit_faces(obj, 1)
    text = fails(bpy.ops.tomb_raider.set_shine, shines=True, strength=20)
    assert f"{obj.data.name}: the mesh has light of its own, and the game crashes" in text
    assert bpy.ops.tomb_raider.set_shine(shines=False, strength=0) == {"FINISHED"}


@each_late_game
def test_the_additive_effect_comes_and_goes(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    obj = next(
        each
        for each in objects(root, "MODEL_MESH")
        if not any(effects(read_level(sample_bytes(game)), each.data.tomb_raider.index))
    )
    number = obj.data.tomb_raider.index
    edit_faces(obj, 0)
    assert bpy.ops.tomb_raider.set_additive(additive=True) == {"FINISHED"}
    old, new = read_level(sample_bytes(game)), finished(tmp_path)
    shown = obj.data.materials[obj.data.polygons[0].material_index]
    assert shown.tomb_raider.attribute == 2
    # Other faces still use the texture: only the word of effects differs.
    assert sorted(effects(new, number)) == sorted([1, *effects(old, number)[1:]])
    assert len(new.object_textures) == len(old.object_textures)
    edit_faces(obj, 0)
    assert bpy.ops.tomb_raider.set_additive(additive=False) == {"FINISHED"}
    assert finished(tmp_path).to_bytes() == sample_bytes(game)


@each_late_game
def test_bump_level_of_selected_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = tmp_path / sample_file(tmp_path, game.name.lower()).name
    path.write_bytes(bumped(game))
    room: Any = objects(import_file(path), "ROOM")[0]
    pages = [material.tomb_raider.page for material in room.data.materials]
    face = next(each for each in room.data.polygons if pages[each.material_index] == BUMPED_PAGE)
    edit_faces(room, face.index)
    assert bpy.ops.tomb_raider.set_bump(bump=1) == {"FINISHED"}
    assert finished(tmp_path).object_textures["flags"][-1] >> 9 & 3 == 1


def flat_colors(level: Any, number: int) -> list[list[int]]:
    """Return the palette colors of faces of a mesh."""
    mesh = decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes[number]
    words = [*mesh.colored_quads["texture"].tolist(), *mesh.colored_triangles["texture"].tolist()]
    colors: Any = Palettes.of(level).colors(COLORS)
    return [colors[entry].tolist() for entry in color_index(np.array(words, np.int64), level.game)]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_faces_get_a_palette_color_in_levels_with_and_without_such_faces(
    blender: ModuleType, tmp_path: Path, game: Game, is_known: bool
) -> None:
    root = import_sample(tmp_path, game)
    palette = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PALETTE")
    page = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PAGE")
    if not is_known:
        palette.user_remap(page)
        bpy.data.materials.remove(palette)
    places = ((obj, face) for obj in objects(root, "MODEL_MESH") for face in obj.data.polygons)
    obj, face = next(
        (obj, face.index)
        for obj, face in places
        if obj.data.materials[face.material_index].tomb_raider.kind == "PAGE"
    )
    number = obj.data.tomb_raider.index
    edit_faces(obj, face)
    layout = shown(textures.VIEW3D_PT_tomb_raider_faces, mode="EDIT_MESH", objects_in_mode_unique_data=[obj])
    assert "tomb_raider.set_palette_color" in [name for name, _ in layout.operators]
    old = read_level(sample_bytes(game))
    color = Palettes.of(old).colors(COLORS)[20].tolist()
    assert bpy.ops.tomb_raider.set_palette_color(color=[part / 255 for part in color]) == {"FINISHED"}
    before = flat_colors(old, number) if is_known else []
    assert sorted(flat_colors(finished(tmp_path), number)) == sorted([*before, color])


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_later_games_have_no_palette_colors(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    obj = objects(import_sample(tmp_path, game), "MODEL_MESH")[0]
    edit_faces(obj, 0)
    assert not bpy.ops.tomb_raider.set_palette_color.poll()


@each_late_game
def test_pages_without_a_height_map_are_not_bumped(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    """The game would show another page as their height map."""
    room = objects(import_sample(tmp_path, game), "ROOM")[0]
    edit_faces(room, plain_face(room))
    with pytest.raises(RuntimeError, match="texture page 0 has no height map"):
        bpy.ops.tomb_raider.set_bump(bump=1)
    assert finished(tmp_path).to_bytes() == sample_bytes(game)


@each_game
def test_an_animated_texture_is_made_with_tools(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[0]
    first = plain_face(room)
    edit_faces(room, first)
    assert bpy.ops.tomb_raider.add_animated_texture() == {"FINISHED"}
    assert bpy.ops.tomb_raider.add_texture_frames() == {"FINISHED"}
    assert bpy.ops.tomb_raider.play_on_faces() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    edit_faces(room, plain_face(room))
    assert bpy.ops.tomb_raider.add_texture_frames() == {"FINISHED"}
    assert bpy.ops.tomb_raider.move_texture_frame(direction="UP") == {"FINISHED"}
    old, new = read_level(sample_bytes(game)), finished(tmp_path)
    count = len(old.object_textures)
    assert decode_animated(new.animated_textures).groups == [
        *decode_animated(old.animated_textures).groups,
        [count, count + 1],
    ]
    words = new.rooms[0].quads["texture"].astype(int) & 0x3FFF
    # The first face shows the current second frame.
    assert (words == count + 1).sum() == 1
    assert bpy.ops.tomb_raider.remove_texture_frame() == {"FINISHED"}
    assert bpy.ops.tomb_raider.refresh_animated_texture() == {"FINISHED"}
    edit_faces(room, first)
    assert bpy.ops.tomb_raider.stop_on_faces() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.tomb_raider.remove_animated_texture() == {"FINISHED"}
    assert read_level(export_file(tmp_path / "out")).to_bytes() == sample_bytes(game)


def test_tools_are_refused_without_their_requirements(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR2)
    room = objects(root, "ROOM")[0]
    assert not bpy.ops.tomb_raider.set_blending.poll()
    edit_faces(room)
    assert bpy.ops.tomb_raider.set_blending(blending="ALPHA") == {"CANCELLED"}
    assert not bpy.ops.tomb_raider.set_shine.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    root.tomb_raider.animated.groups.clear()
    with pytest.raises(RuntimeError, match="no animated texture is chosen"):
        bpy.ops.tomb_raider.remove_animated_texture()


# --- Panels ----------------------------------------


@each_game
def test_the_level_lists_its_animated_textures(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    layout = shown(textures.COLLECTION_PT_tomb_raider_animated, collection=root)
    assert layout.lists == ["groups", "frames"]
    late = {"scroll_speed", "scrolls", "bump"} if game >= Game.TR4 else set()
    assert set(layout.names) == {"frames_per_picture", "image", "corners", "blending"} | late


@each_game
def test_panels_show_images_sprites_and_materials(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    for entry in root.tomb_raider.images:
        labels = shown(image.IMAGE_PT_tomb_raider, edit_image=entry.image).labels
        assert len(labels) >= 2
    picture = objects(root, "SPRITE_TEXTURE")[0]
    assert shown(sprites.OBJECT_PT_tomb_raider_sprite_texture, object=picture).fields == ["sequence", "place"]
    playing = next(each for each in bpy.data.materials if each.tomb_raider.animation)
    room = next(each for each in objects(root, "ROOM") if playing.name in each.data.materials)
    labels = shown(material.MATERIAL_PT_tomb_raider, object=room, material=playing).labels
    assert "Plays Animated Texture 0" in labels


@each_game
def test_selected_faces_have_tools(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    for kind in ("ROOM", "MODEL_MESH"):
        obj = objects(root, kind)[0]
        edit_faces(obj, 0)
        parts = [
            draw(panel, mode="EDIT_MESH", objects_in_mode_unique_data=[obj])
            for panel in (
                textures.VIEW3D_PT_tomb_raider_faces,
                textures.VIEW3D_PT_tomb_raider_shine,
                textures.VIEW3D_PT_tomb_raider_animated_faces,
            )
        ]
        layouts = [layout for layout in parts if layout is not None]
        names = {name for layout in layouts for name, _ in layout.operators}
        layout = layouts[0]
        assert ("tomb_raider.set_double_sided" in names) == (kind == "ROOM" and game >= Game.TR3)
        assert ("tomb_raider.set_shine" in names) == (kind != "ROOM" and game >= Game.TR4)
        assert {"tomb_raider.set_blending", "tomb_raider.play_on_faces"} <= names
        unknown = [each for each in layout.labels if each.startswith("Unknown word: ")]
        assert bool(unknown) == (kind == "ROOM" and game is Game.TR5)
        bpy.ops.object.mode_set(mode="OBJECT")
