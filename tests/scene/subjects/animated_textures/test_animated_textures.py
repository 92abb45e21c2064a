"""Animated textures: lists that users edit, faces that play them, and their exported records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Mesh
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.game_files.script_entry import write_script_entry
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.object_textures import animation_tools as animated_edits
from io_tomb_raider.scene.subjects.object_textures import tools as face_tools
from io_tomb_raider.scene.subjects.textures.animation_nodes import START, pictures
from io_tomb_raider.scene.subjects.textures.keys import MaterialKey
from io_tomb_raider.scene.subjects.textures.materials import user_image
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ....formats.levels.game_files.tr4_script_samples import script_file
from ...page_levels import pixels
from ...page_levels import user_image as picture
from ...scenes import changes, export_scene, import_scene, objects

WATER = 1  # the number of the sample levels' animated texture
_SIDE = 64  # pixels of a rendered square: one for each texel of the sample levels' pictures
PERIOD = {Game.TR1: 5.0, Game.TR2: 5.0, Game.TR3: 2.5, Game.TR4: 2.5, Game.TR5: 2.5}


def groups_of(level: Level) -> list[list[int]]:
    return decode_animated(level.animated_textures).groups


def rects(level: Level) -> list[list[tuple[int, list[int]]]]:
    """Return page and box of pixels of every frame of every group."""
    decoded = decode_object_textures(level.object_textures, level.game)
    found = []
    for group in groups_of(level):
        uv = decoded.uv[group]
        for row in np.flatnonzero(decoded.triangle[group]):
            uv[row, 3] = uv[row, 0]
        low, high = np.floor(uv.min(1) * 256 + 0.01), np.ceil(uv.max(1) * 256 - 0.01)
        boxes = np.column_stack((low[:, 0], 256 - high[:, 1], (high - low)))
        found.append(list(zip(decoded.page[group].tolist(), boxes.astype(int).tolist(), strict=True)))
    return found


def playing(level: Level) -> dict[tuple[int, str], list[int]]:
    """Return the animated faces of rooms, with their first frames."""
    places = {index: place for group in groups_of(level) for place, index in reversed(list(enumerate(group)))}
    found: dict[tuple[int, str], list[int]] = {}
    for number, room in enumerate(level.rooms):
        for kind, faces in zip(("quads", "triangles"), decode_faces(level.game, room), strict=True):
            words = faces.texture.astype(int) & room_texture_mask(level.game)
            begin = [places[word] for word in words.tolist() if word in places]
            if begin:
                found[number, kind] = begin
    return found


def water_room(root: Collection) -> tuple[Mesh, NDArray[np.int64]]:
    """Return the first room with animated faces, and their indices."""
    for room in objects(root, "ROOM"):
        slots = np.zeros(len(room.data.polygons), np.int32)
        room.data.polygons.foreach_get("material_index", slots)
        plays = [material.tomb_raider.animation > 0 for material in room.data.materials]
        faces = np.flatnonzero(np.array(plays)[slots])
        if len(faces):
            return room.data, faces
    raise AssertionError("no animated faces")


def still_quads(root: Collection, mesh: Mesh, count: int) -> NDArray[np.int64]:
    """Return quads that show a page and are not animated."""
    found = [
        face.index
        for face in mesh.polygons
        if face.loop_total == 4 and mesh.materials[face.material_index].tomb_raider.animation == 0
    ]
    return np.array(found[:count])


def animated(root: Collection) -> Any:
    return root.tomb_raider.animated


# --- Import ----------------------------------------


@each_game
def test_frames_are_listed_in_their_order(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    (group,) = animated(root).groups
    assert [frame.texture for frame in group.frames] == groups_of(read_level(sample_bytes(game)))[0]
    for place, frame in enumerate(group.frames):
        # The three frames of water are next to each other on the first page.
        corners = np.array(frame.corners).reshape(4, 2)
        assert np.round(corners.min(0)).tolist() == [64 + 64 * place, 128]
        assert np.round(corners.max(0)).tolist() == [128 + 64 * place, 192]
        assert frame.image.tomb_raider.page == frame.page == 0
    assert animated(root).frames_per_picture == PERIOD[game]


@each_game
def test_animated_faces_have_materials_of_their_own(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    expected = sum(len(begin) for begin in playing(level).values())
    found = 0
    for room in objects(root, "ROOM"):
        for face in room.data.polygons:
            material = room.data.materials[face.material_index]
            found += material.tomb_raider.animation == WATER
    assert found == expected > 0


# --- Playback ----------------------------------------


def shown_pictures(mesh: Mesh, material: Any, frames: list[float], path: Path) -> list[NDArray[np.uint8]]:
    """Render a material on a mesh, a square of 1 by 1, at some frames of the scene."""
    scene = bpy.context.scene
    obj = bpy.data.objects.new("Shown", mesh)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    data: Any = camera.data
    data.type, data.ortho_scale = "ORTHO", 1.0
    camera.location = (0.5, 0.5, 1)
    view: Any = bpy.data.scenes.new("View")
    for each in (obj, camera):
        view.collection.objects.link(each)
    view.camera, view.render.engine = camera, "CYCLES"
    view.cycles.samples, view.cycles.use_denoising, view.cycles.pixel_filter_type = 1, False, "BOX"
    view.cycles.filter_width = 0.01
    view.render.resolution_x = view.render.resolution_y = _SIDE
    view.render.dither_intensity = 0
    view.view_settings.view_transform = "Standard"
    found = []
    for frame in frames:
        view.frame_set(int(frame), subframe=frame % 1)
        view.render.filepath = str(path / f"{frame}.png")
        with bpy.context.temp_override(scene=view, view_layer=view.view_layers[0]):
            bpy.ops.render.render(write_still=True, scene=view.name)
        image = bpy.data.images.load(view.render.filepath)
        found.append(pixels(image)[..., :3])
        bpy.data.images.remove(image)
    bpy.data.objects.remove(obj)
    bpy.data.scenes.remove(view)
    assert scene is not None
    return found


def square(material: Any, uv: NDArray[Any], start: int) -> Mesh:
    """Return a square with a material and first frame; ``uv`` is counterclockwise from the lower left."""
    mesh = bpy.data.meshes.new("Square")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    mesh.materials.append(material)
    layer: Any = mesh.uv_layers.new(name="UVMap")
    for corner, place in enumerate(uv.tolist()):
        layer.uv[corner].vector = place
    animated_edits.write_starts(mesh, np.array([start]))
    return mesh


def apart(found: NDArray[Any], expected: NDArray[Any]) -> int:
    return int(np.abs(found.astype(int) - expected).max())


def page_part(root: Collection, box: tuple[int, int, int, int], side: int = _SIDE) -> NDArray[np.uint8]:
    """Return a part of the first page, rendered on a square of some pixels."""
    image = next(each.image for each in root.tomb_raider.images if (each.kind, each.page) == ("PAGE", 0))
    left, top, right, bottom = box
    part = pixels(image)[top:bottom, left:right, :3]
    rows = ((np.arange(side) + 0.5) * part.shape[0] / side).astype(int)
    columns = ((np.arange(side) + 0.5) * part.shape[1] / side).astype(int)
    return part[rows[:, None], columns]


@pytest.mark.parametrize("start", [0, 2])
def test_the_pictures_follow_each_other_with_the_frame(
    blender: ModuleType, start: int, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    mesh, faces = water_room(root)
    material = mesh.materials[mesh.polygons[faces[0]].material_index]
    left = 64 + 64 * start
    uv = np.array([(left, 64), (left + 64, 64), (left + 64, 128), (left, 128)]) / 256
    shown = shown_pictures(square(material, uv, start), material, [0, 4, 5, 12, 15], tmp_path)
    for found, step in zip(shown, (0, 0, 1, 2, 3), strict=True):
        place = (start + step) % 3
        expected = page_part(root, (64 + 64 * place, 128, 128 + 64 * place, 192))
        assert apart(found, expected) <= 1


def test_many_animated_textures_play_each_its_own_pictures(blender: ModuleType, tmp_path: Path) -> None:
    """Nodes are copied between animated textures with the same number of frames."""
    root = import_scene(sample_bytes(Game.TR2))
    mesh, _ = water_room(root)
    group = animated_edits.add_group(root)
    animated_edits.add_frames(root, group, mesh, still_quads(root, mesh, 1))
    for left in (0, 64):
        frame = group.frames.add()
        frame.image, frame.corners = group.frames[0].image, (left, 0, left + 64, 0, left + 64, 64, left, 64)
    group.frames.remove(0)
    last = group.frames.add()
    last.image, last.corners = group.frames[0].image, (128, 0, 192, 0, 192, 64, 128, 64)
    key = MaterialKey("PAGE", 0, 0, False, 0, group.uid)
    material = face_tools.level_material(root, key)
    assert group.player != animated(root).groups[0].player
    assert len(group.player.nodes) == len(animated(root).groups[0].player.nodes)
    uv = np.array([(0, 192), (64, 192), (64, 256), (0, 256)]) / 256
    shown = shown_pictures(square(material, uv, 0), material, [0, 5, 10, 15], tmp_path)
    for found, left in zip(shown, (0, 64, 128, 0), strict=True):
        assert apart(found, page_part(root, (left, 0, left + 64, 64))) <= 1


def test_pictures_of_other_shapes_are_fitted(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    mesh, faces = water_room(root)
    (group,) = animated(root).groups
    corners = np.array(group.frames[1].corners).reshape(4, 2)
    # Half the size, and upside down.
    group.frames[1].corners = ((corners[[3, 2, 1, 0]] - (128, 128)) / 2 + (0, 0)).ravel().tolist()
    animated_edits.refresh(root, group)
    material = mesh.materials[mesh.polygons[faces[0]].material_index]
    uv = np.array([(64, 64), (128, 64), (128, 128), (64, 128)]) / 256
    (found,) = shown_pictures(square(material, uv, 0), material, [6], tmp_path)
    expected = page_part(root, (0, 0, 32, 32))[::-1]
    assert apart(found, expected) <= 1


def test_pictures_on_other_pages_are_shown(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    mesh, faces = water_room(root)
    (group,) = animated(root).groups
    own = picture(np.full((64, 64, 4), (250, 10, 20, 255), np.uint8), "Lava")
    group.frames[2].image = own
    group.frames[2].corners = (0, 0, 64, 0, 64, 64, 0, 64)
    animated_edits.refresh(root, group)
    material = mesh.materials[mesh.polygons[faces[0]].material_index]
    assert user_image(material).tomb_raider.page == 0
    uv = np.array([(64, 64), (128, 64), (128, 128), (64, 128)]) / 256
    first, last = shown_pictures(square(material, uv, 0), material, [0, 11], tmp_path)
    assert apart(first, page_part(root, (64, 128, 128, 192))) <= 1
    assert np.abs(last.astype(int) - (250, 10, 20)).max() <= 1


def test_scrolling_pictures_move_over_their_faces(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh, faces = water_room(root)
    animated(root).scroll_speed = -4.0
    (group,) = animated(root).groups
    group.scrolls = True
    material = mesh.materials[mesh.polygons[faces[0]].material_index]
    material.tomb_raider.attribute = 0
    animated_edits.refresh(root, group)
    uv = np.array([(64, 64), (128, 64), (128, 128), (64, 128)]) / 256
    for frame, found in zip(
        (0, 2, 9), shown_pictures(square(material, uv, 0), material, [0, 2, 9], tmp_path), strict=True
    ):
        # The engine shows 32 of the 64 rows, 4 rows further down with every frame.
        offset = 4 * frame % 32
        expected = page_part(root, (64, 128 + offset, 128, 160 + offset))
        assert apart(found, expected) <= 1, frame


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_the_scroll_speed_is_read_from_and_written_to_the_script(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    level = tmp_path / ("ANGKOR1.TRC" if game is Game.TR5 else "ANGKOR1.TR4")
    level.write_bytes(sample_bytes(game))
    (tmp_path / "SCRIPT.DAT").write_bytes(script_file(tr5=game is Game.TR5))
    root = import_level(level).root
    assert animated(root).scroll_speed == -16
    (group,) = animated(root).groups
    assert "UVRotate" not in write_script_entry(root, "Home", "HOME.TR4", 5, Report()).as_string()
    group.scrolls = True
    animated(root).scroll_speed = 12
    text = write_script_entry(root, "Home", "HOME.TR4", 5, Report()).as_string()
    # The game runs commands in order, and the level at its line Level.
    assert text.index("UVRotate= 12\n") < text.index("\nLevel= DATA\\HOME, 5")
    assert "Horizon" not in text or text.index("Horizon") < text.index("\nLevel=")


def test_without_a_speed_scrolling_pictures_follow_each_other(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh, faces = water_room(root)
    material = mesh.materials[mesh.polygons[faces[0]].material_index]
    material.tomb_raider.attribute = 0
    (group,) = animated(root).groups
    animated_edits.refresh(root, group)
    uv = np.array([(64, 64), (128, 64), (128, 128), (64, 128)]) / 256
    obj, frames = square(material, uv, 0), [0.0, 4.0, 9.0]
    exchanged = shown_pictures(obj, material, frames, tmp_path)
    group.scrolls = True
    for speed, is_same in ((0, True), (7, False), (0, True)):
        animated(root).scroll_speed = speed
        shown = shown_pictures(obj, material, frames, tmp_path)
        same = [apart(one, other) <= 1 for one, other in zip(shown, exchanged, strict=True)]
        assert all(same) is is_same, speed


# --- Export ----------------------------------------


def swap_frames(root: Collection) -> None:
    animated_edits.move_frame(root, animated(root).groups[0], 0, 2)


def drop_frame(root: Collection) -> None:
    animated_edits.remove_frame(root, animated(root).groups[0], 1)


def add_frame(root: Collection) -> None:
    mesh, _ = water_room(root)
    animated_edits.add_frames(root, animated(root).groups[0], mesh, still_quads(root, mesh, 1))


def drop_group(root: Collection) -> None:
    animated_edits.remove_group(root, 0)


def new_group(root: Collection) -> None:
    mesh, _ = water_room(root)
    group = animated_edits.add_group(root)
    animated_edits.add_frames(root, group, mesh, still_quads(root, mesh, 2))


EDITS: list[tuple[Callable[[Collection], None], list[list[int]]]] = [
    (swap_frames, [[1, 2, 0]]),
    (drop_frame, [[0, 2]]),
    (add_frame, [[0, 1, 2, -1]]),
    (drop_group, []),
    (new_group, [[0, 1, 2], [-1, -2]]),
]


@each_game
@pytest.mark.parametrize(("edit", "expected"), EDITS, ids=[edit.__name__ for edit, _ in EDITS])
def test_edited_lists_are_exported(
    blender: ModuleType, game: Game, edit: Callable[[Collection], None], expected: list[list[int]]
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    edit(root)
    old, new = read_level(data), export_scene(root)
    count = len(old.object_textures)
    numbers = {-1: count, -2: count + 1}
    assert groups_of(new) == [[numbers.get(index, index) for index in group] for group in expected]
    # New frames show the same as the faces that they were made from, in records without faces.
    assert len(new.object_textures) - count == sum(index < 0 for group in expected for index in group)
    assert np.array_equal(new.object_textures[:count], old.object_textures)
    changed = {path[0] for path in differences(old, new)}
    # Faces that showed a deleted frame are not animated any longer.
    assert changed <= {"animated_textures"}
    assert changed


@each_game
def test_the_first_frame_of_a_face_is_the_one_it_shows(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh, faces = water_room(root)
    layer: Any = mesh.uv_layers.active
    polygon: Any = mesh.polygons[faces[0]]
    for loop in range(polygon.loop_start, polygon.loop_start + 4):
        layer.uv[loop].vector.x += 64 / 256
    old, new = read_level(data), export_scene(root)
    before, after = playing(old), playing(new)
    assert before.keys() == after.keys()
    assert sum(sum(begin) for begin in after.values()) == 1 + sum(sum(begin) for begin in before.values())
    assert groups_of(new) == groups_of(old)
    assert len(new.object_textures) == len(old.object_textures)
    again = import_scene(new.to_bytes())
    mesh, faces = water_room(again)
    starts: Any = mesh.attributes[START].data
    assert sorted(starts[face].value for face in faces.tolist())[-1] == 1


@each_game
def test_faces_play_by_their_material(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh, faces = water_room(root)
    (stilled, *others), still = faces, still_quads(root, mesh, 1)
    face_tools.set_group(root, mesh, np.array([stilled]), 0)
    animated_edits.play_on(root, animated(root).groups[0], mesh, still)
    old, new = read_level(data), export_scene(root)
    plays, before = playing(new), playing(old)
    assert sum(map(len, plays.values())) == sum(map(len, before.values()))
    assert groups_of(new) == groups_of(old)
    # The static face shows the same picture with a separate record.
    assert len(new.object_textures) == len(old.object_textures) + 1
    fresh, water = new.object_textures[-1], old.object_textures[groups_of(old)[0][0]]
    assert (fresh["page"], fresh["attribute"], fresh["uv"].tolist()) == (
        water["page"],
        water["attribute"],
        water["uv"].tolist(),
    )
    assert others is not None


def test_triangles_show_half_of_a_quad() -> None:
    """The file does not use the fourth corner of a triangle; playback needs one without distortion."""
    corners = [(16, 32), (80, 32), (80, 96), (5, 7)]
    frames = [
        SimpleNamespace(image=None, corners=np.ravel(corners), is_triangle=each) for each in (True, False)
    ]
    uv, images = pictures(SimpleNamespace(frames=frames))
    assert images == [None, None]
    assert (uv * 256).round(3).tolist() == [
        [[16, 224], [80, 224], [80, 160], [16, 160]],
        [[16, 224], [80, 224], [80, 160], [5, 249]],
    ]


@each_game
def test_turned_faces_find_their_frame(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh, faces = water_room(root)
    layer: Any = mesh.uv_layers.active
    polygon: Any = mesh.polygons[faces[0]]
    loops = list(range(polygon.loop_start, polygon.loop_start + 4))
    turned = [layer.uv[loop].vector.copy() for loop in [*loops[1:], loops[0]]]
    for loop, place in zip(loops, turned, strict=True):
        layer.uv[loop].vector = place
    old, new = read_level(data), export_scene(root)
    assert len(new.object_textures) == len(old.object_textures)
    assert playing(new).keys() == playing(old).keys()
    # The corner with the upper left of the picture is first.
    assert {path[-1] for path in differences(old, new)} == {"value"}


def test_own_pictures_become_frames(blender: ModuleType) -> None:
    for game in Game:
        start_empty()
        data = sample_bytes(game)
        root = import_scene(data)
        (group,) = animated(root).groups
        texels = np.random.default_rng(3).integers(0, 255, (32, 48, 4), np.uint8)
        texels[..., 3] = 255
        frame = group.frames.add()
        frame.image, frame.corners = picture(texels, "Lava"), (0, 0, 48, 0, 48, 32, 0, 32)
        old, new = read_level(data), export_scene(root)
        (boxes,) = rects(new)
        assert boxes[:3] == rects(old)[0]
        page, (left, top, width, height) = boxes[3]
        assert (width, height) == (48, 32)
        again = import_scene(new.to_bytes())
        image = next(
            each.image for each in again.tomb_raider.images if each.page == page and each.kind == "PAGE"
        )
        drawn = pixels(image)[top : top + height, left : left + width]
        if game >= Game.TR4:
            assert np.array_equal(drawn, texels)
        elif game > Game.TR1:
            assert np.array_equal(drawn[..., :3] >> 3, texels[..., :3] >> 3)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_scrolling_groups_come_first(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    new_group(root)
    animated(root).groups[1].scrolls = True
    old, new = read_level(data), export_scene(root)
    assert new.uv_rotates == 1
    assert groups_of(new) == [[len(old.object_textures), len(old.object_textures) + 1], groups_of(old)[0]]
    assert [group.scrolls for group in animated(import_scene(new.to_bytes())).groups] == [True, False]


def test_a_scrolling_group_can_be_too_long(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    group = animated(root).groups[0]
    mesh, _ = water_room(root)
    animated_edits.add_frames(root, group, mesh, still_quads(root, mesh, 6))
    group.scrolls = True
    with pytest.raises(ExportError) as caught:
        export_scene(root)
    assert (caught.value.count, caught.value.limit) == (9, 8)


def test_a_frame_in_two_groups_gets_two_records(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    first = animated(root).groups[0].frames[0]
    group = animated_edits.add_group(root)
    frame = group.frames.add()
    for name in ("image", "page", "corners", "is_triangle", "attribute", "bump", "texture"):
        setattr(frame, name, getattr(first, name))
    old, new = read_level(data), export_scene(root)
    assert groups_of(new) == [groups_of(old)[0], [len(old.object_textures)]]
    assert rects(new)[1][0] == rects(new)[0][0]


def test_faces_without_a_frame_stand_still_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    mesh, faces = water_room(root)
    layer: Any = mesh.uv_layers.active
    layer.uv[mesh.polygons[faces[0]].loop_start].vector.x += 20 / 256
    level, report = export_level(root)
    assert any("become still" in text for text in report.warnings)
    assert groups_of(read_level(level.to_bytes())) == [[0, 1, 2]]


def test_empty_and_imageless_groups(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    group = animated_edits.add_group(root)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert [text for text in report.warnings if group.name in text]
    group.frames.add()
    with pytest.raises(ExportError, match="no image"):
        export_scene(root)


@each_game
def test_odd_lists_survive(blender: ModuleType, game: Game) -> None:
    count = len(read_level(sample_bytes(game)).object_textures)
    odd = [
        [0],
        [2, 0, 1, 0, 1],  # one texture in two groups
        [1, 3, 0, 1, 0, 2],  # twice in one
        [1, 1, 60000, 0],  # invalid textures
        [5, 1, 0, 1],  # more groups than words
        [1, 500, 0, 1],  # more frames than words
        [1, 1, 0, 1, 7, 7, 0, 0],  # trailing words
        [1, 1, count - 1, count - 2],
    ]
    for words in odd:
        start_empty()
        level = read_level(sample_bytes(game))
        level.animated_textures = np.array(words, "<u2")
        if game >= Game.TR4:
            level.uv_rotates = 200
        data = level.to_bytes()
        root = import_scene(data)
        assert export_scene(root).to_bytes() == data
        assert differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True) == [], words


def test_scenes_without_lists_keep_those_of_the_file(blender: ModuleType) -> None:
    """Scenes made before lists were imported have none."""
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    root.tomb_raider.imported -= {"ANIMATED_TEXTURES"}
    animated(root).groups.clear()
    assert export_scene(root).to_bytes() == data
    assert differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True) == []


@each_game
def test_an_untouched_list_changes_nothing(blender: ModuleType, game: Game) -> None:
    assert (
        changes(sample_bytes(game), lambda root: animated_edits.refresh(root, animated(root).groups[0])) == []
    )


def test_undo_takes_back_that_faces_play(blender: ModuleType) -> None:
    """Faces that showed another picture have their UVs again, and one material was added for all of them."""
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    mesh, _ = water_room(root)
    still, name, slots = still_quads(root, mesh, 3), root.name, len(mesh.materials)
    assert (animated_edits._matches(animated(root).groups[0], mesh)[still] < 0).all()
    bpy.ops.ed.undo_push(message="before")
    animated_edits.play_on(root, animated(root).groups[0], mesh, still)
    assert len(mesh.materials) <= slots + 1
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert export_scene(bpy.data.collections[name]).to_bytes() == data
