"""Tests of strokes of the texture brush, in all games, in object mode and edit mode."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.units import SECTOR_SIZE
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.mesh.blender_mesh import read_shape
from io_tomb_raider.scene.subjects.meshes.layers import read_uvs
from io_tomb_raider.scene.subjects.textures.animation_nodes import START
from io_tomb_raider.ui.texture_tiles.brush import Stroke
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.authoring.texture_tiles.tiled_rooms import quads
from tests.scene.page_levels import textured, user_image
from tests.scene.scenes import edit_bmesh, exported, import_scene, objects
from tests.scene.subjects.textures.face_pictures import first_quad

from ..user_actions import in_view, select
from .brushing import corner_texels, edit, leave, page_image, places_of, rays_on, set_tile, strokes

AREA = (16.0, 24.0, 24.0, 16.0)


@pytest.fixture(params=["OBJECT", "EDIT"])
def mode(request: pytest.FixtureRequest) -> str:
    """Return the mode in which users paint."""
    return str(request.param)


def enter(obj: Any, mode: str) -> None:
    select(obj)
    mode_set: Any = bpy.ops.object.mode_set
    mode_set(mode=mode)


def uvs_of(obj: Any) -> Any:
    return read_uvs(obj.data.uv_layers.active, len(obj.data.loops))


def painted(obj: Any, image: Any) -> list[int]:
    """Return the faces whose material shows an image."""
    from io_tomb_raider.scene.subjects.textures.materials import user_image as image_of

    return [
        face.index for face in obj.data.polygons if image_of(obj.data.materials[face.material_index]) == image
    ]


@each_game
def test_a_game_shows_the_tile_at_each_corner(blender: ModuleType, game: Game, mode: str) -> None:
    root = import_scene(sample_bytes(game))
    obj, image = objects(root, "ROOM")[0], page_image(root)
    before = exported(root)[0]
    chosen = quads(obj.data)[:6]
    set_tile(image, AREA)
    rays, places = rays_on(obj, chosen), [places_of(obj, face) for face in chosen]
    enter(obj, mode)
    stroke = Stroke(bpy.context)
    for start in range(0, len(rays), 2):
        stroke.paint(rays[start : start + 2])
    stroke.paint(rays)  # again: each face is painted once
    assert stroke.count == len(chosen)
    leave()
    after = exported(root)[0]
    left, top, width, height = map(int, AREA)
    page = decode_pages(pages_of(before))[0]
    for face, place in zip(chosen, places, strict=True):
        wanted = page[top + (1 - place[:, 1]) * (height - 1), left + place[:, 0] * (width - 1)]
        shown = corner_texels(after, obj, face)
        assert (shown == wanted).all(), face
    # Each turn of the tile that faces of the file need is one object texture.
    added = after.object_textures[len(before.object_textures) :]
    assert 1 <= len(added) <= 8 and len({each.tobytes() for each in added}) == len(added)
    # Nothing else is different. Faces may begin with another corner in the file.
    found = {path if path[0] == "rooms" else path[:1] for path in differences(before, after)}
    fields = {path[3:5] for path in found if path[:3] == ("rooms", 0, "quads")}
    numbers = {quads(obj.data).index(face) for face in chosen}
    assert fields <= {(name, number) for name in ("texture", "corners") for number in numbers}, found
    assert {path for path in found if path[:3] != ("rooms", 0, "quads")} <= {("object_textures",)}, found


@each_game
def test_a_stroke_is_one_undo_step(
    blender: ModuleType, game: Game, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj, image = objects(root, "ROOM")[0], user_image(np.full((32, 32, 4), 255, np.uint8), "Tiles")
    name, room, chosen = root.name, obj.name, quads(obj.data)[:4]
    image.use_fake_user = True
    set_tile(image, (0, 0, 32, 32))
    rays = rays_on(obj, chosen)
    enter(obj, mode)
    bpy.ops.ed.undo_push(message="before")
    with strokes(monkeypatch, [rays[:1], rays[1:3], rays[3:]]) as stroke:
        assert stroke() == {"FINISHED"}
    leave()
    assert painted(bpy.data.objects[room], image) == chosen
    enter(bpy.data.objects[room], mode)
    bpy.ops.ed.undo()
    if bpy.context.mode != "OBJECT":
        leave()
    root, image = bpy.data.collections[name], bpy.data.images["Tiles"]
    if mode == "OBJECT":
        assert painted(bpy.data.objects[room], image) == []
        assert exported(root)[0].to_bytes() == data


def test_without_a_face_there_is_no_undo_step(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    set_tile(page_image(root), AREA)
    away = [(Vector((1e4, 0.0, 0.0)), Vector((1.0, 0.0, 0.0)))]
    with strokes(monkeypatch, [away]) as stroke:
        assert stroke() == {"CANCELLED"}


def test_a_stroke_without_a_tile_is_refused(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    import_scene(sample_bytes(Game.TR3))
    with strokes(monkeypatch, []) as stroke, pytest.raises(RuntimeError, match="no tile is chosen"):
        stroke()


def test_backs_of_one_sided_faces_are_passed_through(blender: ModuleType, mode: str) -> None:
    """A ray from outside through the nearest wall meets what is behind it, as the view shows it."""
    root = import_scene(sample_bytes(Game.TR4))
    obj, image = two_walls(root), page_image(root)
    set_tile(image, AREA)
    front, back = 0, 1
    rays = [(obj.matrix_world @ Vector((1.0, -2.0, 1.0)), Vector((0.0, 1.0, 0.0)))]
    enter(obj, mode)
    with in_view() as space:
        space.shading.type = "MATERIAL"
        stroke = Stroke(bpy.context)
        stroke.paint(rays)
        space.shading.type = "SOLID"
        space.shading.show_backface_culling = False
        shown = Stroke(bpy.context)
        shown.paint(rays)
    leave()
    material = obj.data.materials[0]
    assert obj.data.polygons[back].material_index != 0 or stroke.count == 1
    assert stroke.count == shown.count == 1
    first, second = (uvs_of(obj)[list(obj.data.polygons[face].loop_indices)] for face in (front, back))
    assert len(np.unique(first, axis=0)) == len(np.unique(second, axis=0)) == 4
    assert material.use_backface_culling


def two_walls(root: Collection) -> Any:
    """Return the first room with two walls alone, seen from the south: the back of one, and one's front."""
    obj = objects(root, "ROOM")[0]

    def build(bm: Any) -> None:
        bm.clear()
        for y, order in ((0, (0, 3, 2, 1)), (2, (0, 1, 2, 3))):
            corners = [(0, y, 0), (2, y, 0), (2, y, 2), (0, y, 2)]
            bm.faces.new([bm.verts.new(corners[corner]) for corner in order])

    edit_bmesh(obj.data, build)
    for face in obj.data.polygons:
        face.material_index = 0
    obj.data.materials[0].use_backface_culling = True
    return obj


def test_hidden_faces_are_passed_through(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = two_walls(root)
    image = user_image(np.full((32, 32, 4), 255, np.uint8))
    set_tile(image, (0, 0, 32, 32))
    edit(obj, [0])
    bpy.ops.mesh.hide()
    with in_view() as space:
        space.shading.type = "SOLID"
        space.shading.show_backface_culling = False
        stroke = Stroke(bpy.context)
        stroke.paint([(obj.matrix_world @ Vector((1.0, -2.0, 1.0)), Vector((0.0, 1.0, 0.0)))])
    leave()
    assert painted(obj, image) == [1]


@pytest.mark.parametrize("shape", ["rectangle", "gable"])
def test_faces_are_cut_during_a_stroke(blender: ModuleType, mode: str, shape: str) -> None:
    """Pieces are painted once, and faces that were painted before are not painted again."""
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = objects(root, "ROOM")[0], user_image(np.full((32, 32, 4), 255, np.uint8))
    side = SECTOR_SIZE * root.tomb_raider.scale
    top = [(2, 0, 3), (0, 0, 3)] if shape == "rectangle" else [(2, 0, 0.5), (0, 0, 3)]

    def build(bm: Any) -> None:
        bm.clear()
        for points in ([(4, 0, 0), (5, 0, 0), (5, 0, 1), (4, 0, 1)], [(0, 0, 0), (2, 0, 0), *top]):
            bm.faces.new([bm.verts.new([part * side for part in point]) for point in points])
        bm.faces.ensure_lookup_table()

    edit_bmesh(obj.data, build)
    set_tile(image, (0, 0, 32, 32)).walls = "SCALE"
    matrix = obj.matrix_world
    south = Vector((0.0, 1.0, 0.0))

    def at(x: float, z: float) -> Any:
        return matrix @ (Vector((x, -0.5, z)) * side), south

    enter(obj, mode)
    stroke = Stroke(bpy.context)
    stroke.paint([at(4.5, 0.5), at(0.5, 0.5)])
    assert stroke.count == 2
    for x, z in ((0.5, 0.4), (1.5, 0.4), (0.5, 1.4), (0.2, 2.2), (4.5, 0.6)):
        stroke.paint([at(x, z)])
    assert stroke.count == 2
    leave()
    mesh = obj.data
    assert len(mesh.polygons) > 4 and painted(obj, image) == list(range(len(mesh.polygons)))
    shown, places = read_shape(mesh), read_shape(mesh).positions
    uvs = uvs_of(obj)
    for face in range(len(mesh.polygons)):
        rows = slice(int(shown.starts[face]), int(shown.starts[face] + shown.sizes[face]))
        points = places[shown.corners[rows]][:, [0, 2]] / side
        assert np.allclose(uvs[rows], points - np.floor(points.mean(axis=0)), atol=1e-4)


def test_two_objects_with_one_mesh_are_painted_once(blender: ModuleType) -> None:
    """Numbers of faces change for both when one is cut."""
    root = import_scene(sample_bytes(Game.TR3))
    obj, other = objects(root, "STATIC_MESH")[0], None
    side = SECTOR_SIZE * root.tomb_raider.scale
    edit_bmesh(obj.data, lambda bm: wall(bm, side))
    other = obj.copy()
    obj.users_collection[0].objects.link(other)
    other.location.x += 10
    select(obj, other)
    bpy.context.view_layer.update()
    set_tile(user_image(np.full((32, 32, 4), 255, np.uint8)), (0, 0, 32, 32)).walls = "SCALE"
    rays = [
        (
            each.matrix_world @ (Vector((0.5, -0.5, 0.5)) * side),
            each.matrix_world.to_3x3() @ Vector((0, 1, 0)),
        )
        for each in (obj, other)
    ]
    stroke = Stroke(bpy.context)
    stroke.paint(rays)
    stroke.paint(rays)
    assert stroke.count == 1 and len(obj.data.polygons) == 2


def wall(bm: Any, side: float) -> None:
    bm.clear()
    points = [(0, 0, 0), (1, 0, 0), (1, 0, 2), (0, 0, 2)]
    bm.faces.new([bm.verts.new([part * side for part in point]) for point in points])


def test_strokes_on_linked_objects_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    name = import_scene(sample_bytes(Game.TR3)).name
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, compress=False)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(library, link=True) as (_, wanted):
        wanted.collections = [name]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.context.view_layer.update()
    obj = objects(wanted.collections[0], "ROOM")[0]
    set_tile(bpy.data.images.new("Tiles", 32, 32), (0, 0, 32, 32))
    stroke = Stroke(bpy.context)
    with pytest.raises(ExportError, match="linked or overridden: make it local first"):
        stroke.paint(rays_on(obj, [0]))
    assert stroke.count == 0


# --- Picking and turning ---------------------------------------------------------------------------


@each_game
def test_a_picked_tile_is_painted_as_it_was(blender: ModuleType, game: Game, mode: str) -> None:
    """What is picked from a face and painted on it again is as before."""
    from io_tomb_raider.ui.texture_tiles.brush import pick

    data = sample_bytes(game)
    root = import_scene(data)
    obj = objects(root, "ROOM")[0]
    face = first_quad(obj.data)
    bpy.context.scene.tomb_raider.texturing.upright = "COMPASS"
    rays = rays_on(obj, [face])
    enter(obj, mode)
    said: list[Any] = []
    operator: Any = type("Operator", (), {"report": lambda self, *args: said.append(args)})()
    assert pick(operator, bpy.context, obj, face) == {"FINISHED"}
    Stroke(bpy.context).paint(rays)
    leave()
    assert exported(root)[0].to_bytes() == data and "Page" in said[0][1]


def test_a_tile_with_holes_of_an_own_material_keeps_them(blender: ModuleType) -> None:
    """Texels decide for materials without a blend mode; black pixels would be where the holes were."""
    from io_tomb_raider.scene.authoring.texture_tiles.painting import tile_of

    root = import_scene(sample_bytes(Game.TR3))
    obj = objects(root, "ROOM")[0]
    texels = np.full((8, 8, 4), 255, np.uint8)
    texels[2, 2, 3] = 0
    material = textured(user_image(texels))
    obj.data.materials.append(material)
    obj.data.polygons[0].material_index = len(obj.data.materials) - 1
    for corner, uv in zip(obj.data.polygons[0].loop_indices, [(0, 0), (1, 0), (1, 1), (0, 1)], strict=False):
        obj.data.uv_layers.active.uv[corner].vector = uv
    tile = tile_of(root, obj, 0, (0.0, 1.0))
    assert tile is not None and tile.attribute == 1


def test_the_active_tile_is_turned_and_mirrored(blender: ModuleType) -> None:
    """Four turns are none, and mirroring twice is none; the picture on a face follows."""
    root = import_scene(sample_bytes(Game.TR3))
    obj, image = objects(root, "ROOM")[0], page_image(root)
    face = first_quad(obj.data)
    settings = set_tile(image, AREA)
    rows = list(obj.data.polygons[face].loop_indices)
    place = places_of(obj, face)

    def shown() -> dict[tuple[int, int], tuple[float, ...]]:
        Stroke(bpy.context).paint(rays_on(obj, [face]))
        at = uvs_of(obj)[rows].round(5)
        return {tuple(corner): tuple(uv) for corner, uv in zip(place.tolist(), at.tolist(), strict=True)}

    upright = shown()
    assert bpy.ops.tomb_raider.turn_tile() == {"FINISHED"}
    turned = shown()
    # Clockwise: what was at the upper left is at the upper right now.
    assert turned[1, 1] == upright[0, 1] and turned[1, 0] == upright[1, 1]
    bpy.ops.tomb_raider.mirror_tile()
    mirrored = shown()
    assert all(mirrored[1 - x, y] == uv for (x, y), uv in turned.items())
    bpy.ops.tomb_raider.mirror_tile()
    bpy.ops.tomb_raider.turn_tile(counterclockwise=True)
    assert shown() == upright and settings.tile.turns == 0 and not settings.tile.mirrored
    assert [tuple(each.area) for each in settings.recent] == [AREA]


@each_game
def test_selected_faces_are_painted(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj, image = objects(root, "ROOM")[0], user_image(np.full((32, 32, 4), 255, np.uint8))
    set_tile(image, (0, 0, 32, 32))
    assert not bpy.ops.tomb_raider.paint_selected.poll()
    chosen = list(range(0, len(obj.data.polygons), 3))
    edit(obj, chosen)
    assert bpy.ops.tomb_raider.paint_selected() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    leave()
    assert painted(obj, image) == chosen
    level = read_level(exported(root)[0].to_bytes())
    assert len(level.object_textures)


def test_a_painted_animated_tile_is_shown_from_its_own_picture_on(blender: ModuleType, mode: str) -> None:
    """Without it, the face would move on from the first picture of the animated texture in the view."""
    root = import_scene(sample_bytes(Game.TR3))
    group = root.tomb_raider.animated.groups[0]
    frame = group.frames[2]
    obj = next(
        each for each in objects(root, "ROOM") if START not in each.data.attributes and quads(each.data)
    )
    chosen = quads(obj.data)[:2]
    corners = np.reshape(frame.corners[:], (4, 2))
    area = (*corners.min(axis=0), *np.ptp(corners, axis=0))
    set_tile(frame.image, area, animation=group.uid)
    enter(obj, mode)
    stroke = Stroke(bpy.context)
    stroke.paint(rays_on(obj, chosen))
    assert stroke.count == 2
    leave()
    starts = np.zeros(len(obj.data.polygons), np.int32)
    obj.data.attributes[START].data.foreach_get("value", starts)
    assert starts.nonzero()[0].tolist() == chosen and (starts[chosen] == 2).all()
