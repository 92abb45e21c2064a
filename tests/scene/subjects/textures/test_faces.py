"""Edits of face textures: UVs, page, blend mode, sides, users' images."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.coordinates import raw_to_uv
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.object_textures import MOST_TEXTURES
from io_tomb_raider.scene.subjects.textures.materials import material_key
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import (
    changes,
    edit_bmesh,
    export_scene,
    import_scene,
    mesh_of,
    meshes_of,
    objects,
    room_object,
    shown_by,
)


def face_uvs(mesh: Any, face: int) -> NDArray[Any]:
    polygon = mesh.polygons[face]
    return np.array([mesh.uv_layers.active.uv[i].vector for i in polygon.loop_indices])


def set_face_uvs(mesh: Any, face: int, uvs: Any) -> None:
    for loop, uv in zip(mesh.polygons[face].loop_indices, uvs, strict=True):
        mesh.uv_layers.active.uv[loop].vector = uv


def texture_of(level: Level, number: int, face: int) -> Any:
    """Return the object texture of a quad of a mesh."""
    word = int(meshes_of(level)[number].quads["texture"][face])
    return level.object_textures[word & (0xFFFF if level.game <= Game.TR2 else 0x7FFF)]


def covered_pixels(level: Level | None, texture: Any) -> tuple[list[int], list[int]]:
    """The pixels that a texture covers: first and last column and row."""
    raw = texture["uv"].astype(int)
    low, high = raw.min(axis=0), raw.max(axis=0)
    return (low >> 8).tolist(), (high - 1 >> 8).tolist()


@each_game
def test_moved_uvs_make_an_object_texture_of_their_own(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    square = np.array([(16, 16), (48, 16), (48, 48), (16, 48)]) / 256
    set_face_uvs(mesh, 0, [(u, 1 - v) for u, v in square])
    old, new = read_level(data), export_scene(root)
    assert len(new.object_textures) == len(old.object_textures) + 1
    assert np.array_equal(new.object_textures[:-1], old.object_textures)
    assert covered_pixels(new, texture_of(new, 2, 0)) == ([16, 16], [47, 47])
    assert texture_of(new, 2, 0)["attribute"] == texture_of(old, 2, 0)["attribute"]


@each_game
def test_moved_uvs_change_that_face_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        mesh = mesh_of(root, 2)
        set_face_uvs(mesh, 0, face_uvs(mesh, 0) * 0.5 + 0.25)

    paths = changes(sample_bytes(game), edit)
    # In TR4 and TR5 the face may begin with another corner, for the engine's correction.
    allowed = {("meshes", 2, "quads", "texture", 0), ("meshes", 2, "quads", "corners", 0)}
    assert {path[:5] for path in paths} <= allowed
    assert ("meshes", 2, "quads", "texture", 0) in {path[:5] for path in paths}


@each_game
def test_a_face_of_the_same_uvs_as_another_shares_its_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    room: Any = room_object(root, 0).data
    quads = [p.index for p in room.polygons if len(p.vertices) == 4]
    source, target = quads[0], quads[-1]
    set_face_uvs(room, target, face_uvs(room, source))
    room.polygons[target].material_index = room.polygons[source].material_index
    old, new = read_level(data), export_scene(root)
    assert len(new.object_textures) == len(old.object_textures)
    before, after = decode_faces(game, old.rooms[0])[0], decode_faces(game, new.rooms[0])[0]
    assert after.texture[target] & room_texture_mask(game) == before.texture[source] & room_texture_mask(game)


def assign(mesh: Any, face: int, material: Any) -> None:
    if material.name not in mesh.materials:
        mesh.materials.append(material)
    mesh.polygons[face].material_index = list(mesh.materials).index(material)


@each_game
def test_another_page(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    page = material_key(mesh.materials[mesh.polygons[0].material_index]).page
    material = next(
        m
        for obj in objects(root, "ROOM")
        for m in obj.data.materials
        if material_key(m).kind == "PAGE" and material_key(m).page != page
    )
    assign(mesh, 0, material)
    texture = texture_of(export_scene(root), 2, 0)
    assert texture["page"] & 0x7FFF == material_key(material).page
    assert texture["attribute"] == material_key(material).attribute


@each_game
def test_another_blend_mode_by_the_settings_of_the_material(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    material = mesh.materials[mesh.polygons[0].material_index].copy()
    material.tomb_raider.attribute = 1
    assign(mesh, 0, material)
    old, new = texture_of(read_level(data), 2, 0), texture_of(export_scene(root), 2, 0)
    assert (new["attribute"], new["page"]) == (1, old["page"])
    assert covered_pixels(None, new) == covered_pixels(None, old)


def additive_by_effect(game: Game) -> tuple[bytes, int]:
    """Return a level with a mesh face that is additive by its effects, but not by its texture."""
    level = read_level(sample_bytes(game))
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    quads = block.meshes[2].quads.copy()
    quads["effects"][0] = 0x2A | 1
    mesh = encode_mesh(game, replace(block.meshes[2], quads=quads))
    raw = [mesh if number == 2 else each.raw for number, each in enumerate(block.meshes)]
    level.mesh_data, level.mesh_pointers = encode_block(raw, block.pointers)
    return level.to_bytes(), int(texture_of(level, 2, 0)["attribute"])


def effects_of(level: Level) -> list[int]:
    return meshes_of(level)[2].quads["effects"].tolist()


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_the_additive_effect_of_a_face_is_shown_and_kept(blender: ModuleType, game: Game) -> None:
    data, attribute = additive_by_effect(game)
    assert attribute != 2
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    assert material_key(mesh.materials[mesh.polygons[0].material_index]).attribute == 2
    set_face_uvs(mesh, 0, face_uvs(mesh, 0) * 0.5 + 0.25)
    level = export_scene(root)
    assert effects_of(level) == effects_of(read_level(data))
    assert texture_of(level, 2, 0)["attribute"] == attribute


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_a_face_with_another_blend_mode_loses_the_additive_effect_alone(
    blender: ModuleType, game: Game
) -> None:
    data, _ = additive_by_effect(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    material = mesh.materials[mesh.polygons[0].material_index].copy()
    material.tomb_raider.attribute = 1
    assign(mesh, 0, material)
    level = export_scene(root)
    assert effects_of(level) == [0x2A, *effects_of(read_level(data))[1:]]
    assert texture_of(level, 2, 0)["attribute"] == 1


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_an_additive_material_makes_the_texture_additive(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    material = mesh.materials[mesh.polygons[0].material_index].copy()
    material.tomb_raider.attribute = 2
    assign(mesh, 0, material)
    level = export_scene(root)
    assert effects_of(level) == effects_of(read_level(data))
    assert texture_of(level, 2, 0)["attribute"] == 2


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_a_double_sided_material_makes_room_faces_double_sided(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    before = decode_faces(game, read_level(data).rooms[0])[0].texture
    face = int(np.flatnonzero(before & 0x8000 == 0)[0])
    root = import_scene(data)
    room: Any = room_object(root, 0).data
    material = room.materials[room.polygons[face].material_index].copy()
    material.tomb_raider.double_sided = True
    assign(room, face, material)
    after = decode_faces(game, export_scene(root).rooms[0])[0].texture
    assert after[face] == before[face] | 0x8000
    assert np.array_equal(np.delete(after, face), np.delete(before, face))


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_a_face_of_one_color_takes_the_color_its_uvs_point_at(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    number = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if len(mesh.colored_quads))
    root = import_scene(data)
    mesh = mesh_of(root, number)
    face = next(
        p.index
        for p in mesh.polygons
        if len(p.vertices) == 4 and material_key(mesh.materials[p.material_index]).kind == "PALETTE"
    )
    column, row = 5, 2
    set_face_uvs(mesh, face, [((column + 0.5) / 16, 1 - (row + 0.5) / 16)] * 4)
    word = int(meshes_of(export_scene(root))[number].colored_quads["texture"][0])
    assert (word if game is Game.TR1 else word >> 8) == row * 16 + column


def picture_material(
    width: int, height: int, color: tuple[float, float, float, float], name: str = "Own"
) -> Any:
    """A material with an image of the user's, of one color."""
    image: Any = bpy.data.images.new(name, width, height, alpha=True)
    image.pixels.foreach_set(np.tile(np.array(color, np.float32), width * height))
    image.pack()
    material = bpy.data.materials.new(name)
    if not material.use_nodes:
        material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    shader = next(n for n in tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
    tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return material


def page_pixels(level: Level, page: int) -> NDArray[Any]:
    """Return a page with 8 bits per color."""
    if level.game is Game.TR1:
        palette = level.palette.astype(int)
        return (palette << 2 | palette >> 4)[level.textiles8[page]]
    if level.game >= Game.TR4:
        return level.textiles32[page][..., 2::-1].astype(int)
    words = level.textiles16[page].astype(int)
    return np.stack((words >> 10, words >> 5, words), axis=-1) % 32 * 255 // 31


@each_game
@pytest.mark.parametrize("size", [(32, 32), (100, 60), (700, 300)], ids=str)
def test_an_image_of_the_users_own_is_packed_into_the_pages(
    blender: ModuleType, game: Game, size: tuple[int, int]
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    assign(mesh, 0, picture_material(*size, (1.0, 0.0, 0.0, 1.0)))
    set_face_uvs(mesh, 0, [(0, 0), (1, 0), (1, 1), (0, 1)])
    old, new = read_level(data), export_scene(root)
    texture = texture_of(new, 2, 0)
    (left, top), (right, bottom) = covered_pixels(new, texture)
    pixels = page_pixels(new, int(texture["page"]) & 0x7FFF)[top : bottom + 1, left : right + 1]
    assert pixels.size
    red, green, blue = pixels.reshape(-1, 3).mean(axis=0)
    assert red > 150 > 100 > max(green, blue)
    assert 0 < right - left < 256 and 0 < bottom - top < 256
    # No texture of the level was painted over.
    used = page_pixels(old, int(texture_of(old, 2, 1)["page"]) & 0x7FFF)
    assert np.array_equal(used, page_pixels(new, int(texture_of(old, 2, 1)["page"]) & 0x7FFF)) or (
        _covered(old, new)
    )


def _covered(old: Level, new: Level) -> bool:
    """Return whether the texels of all object textures are unchanged."""
    for texture in old.object_textures:
        (left, top), (right, bottom) = covered_pixels(old, texture)
        area = np.s_[top : bottom + 1, left : right + 1]
        page = int(texture["page"]) & 0x7FFF
        if not np.array_equal(page_pixels(old, page)[area], page_pixels(new, page)[area]):
            return False
    return True


@each_game
def test_an_own_image_stands_upright_and_is_not_mirrored(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    material = picture_material(64, 64, (0.0, 0.0, 0.0, 1.0))
    image = next(n.image for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeTexImage")
    pixels = np.zeros((64, 64, 4), np.float32)
    pixels[..., 3] = 1
    pixels[32:, :32, 0] = 1  # red at the upper left, as Blender's first row is the lowest
    image.pixels.foreach_set(pixels.ravel())
    image.pack()
    assign(mesh, 0, material)
    uvs = [(0, 0), (1, 0), (1, 1), (0, 1)]
    set_face_uvs(mesh, 0, uvs)
    place = {tuple(v): mesh.vertices[i].index for v, i in zip(uvs, mesh.polygons[0].vertices, strict=True)}
    level = export_scene(root)
    texture = texture_of(level, 2, 0)
    corners = meshes_of(level)[2].quads["vertices"][0].tolist()
    upper_left = corners.index(place[0, 1])
    u, v = raw_to_uv(texture["uv"])[upper_left]
    page = page_pixels(level, int(texture["page"]) & 0x7FFF)
    (left, top), (right, bottom) = covered_pixels(level, texture)
    x = min(max(int(u * 256), left + 4), right - 4)
    y = min(max(int((1 - v) * 256), top + 4), bottom - 4)
    assert page[y, x, 0] > 150
    assert page[top + bottom - y, left + right - x, 0] < 80


@each_game
def test_a_texture_shown_by_no_level_is_an_error(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    missing = bpy.data.materials.new("Missing")
    missing.tomb_raider.kind = "MISSING"
    assign(mesh, 0, missing)
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == shown_by(root, mesh)


@each_game
def test_too_many_object_textures_are_reported_with_the_objects_that_have_most(
    blender: ModuleType, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(read_level(sample_bytes(game)).object_textures)
    monkeypatch.setitem(MOST_TEXTURES, game, count + 2)
    root = import_scene(sample_bytes(game))
    first, second = [obj for obj in objects(root, "ROOM") if len(obj.data.polygons) > 3][:2]
    for room, faces in ((first, 3), (second, 1)):
        for face in range(faces):
            side = (face + 1) / 64 + (0.25 if room == second else 0.0)
            corners = [(0, 0), (side, 0), (side, side), (0, side)]
            set_face_uvs(room.data, face, corners[: len(room.data.polygons[face].vertices)])
    with pytest.raises(ExportError) as caught:
        export_scene(root)
    text = (
        f"than the game supports, most of the new ones in {first.name} (3), {second.name} (1): {count + 4} "
    )
    assert text in str(caught.value)


@each_game
def test_a_flipped_face_keeps_its_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    edit_bmesh(mesh_of(root, 2), lambda bm: bm.faces[0].normal_flip())
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(
        np.unique(texture_of(new, 2, 0)["uv"], axis=0), np.unique(texture_of(old, 2, 0)["uv"], axis=0)
    )
