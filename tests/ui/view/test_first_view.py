"""Tests of the first view after an import: views, selection, frames, and removal of start-up objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import gpu
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.new.place import spot_at
from io_tomb_raider.scene.subjects.rooms.location.scene_rooms import SceneRooms
from io_tomb_raider.ui.view import first_view
from io_tomb_raider.ui.view.deferred_ui import choose_tabs, close_rooms
from io_tomb_raider.ui.view.first_view import fit, look_at_selection, show_level
from tests.games import each_game
from tests.scene.scenes import drawn_vertices, objects
from tests.wad_samples import sample_wad

from ..preferences.enabled import enabled
from ..user_actions import add_cube, import_file, import_sample, in_view, sample_file, select, start_as_users


def views() -> list[tuple[Any, Any]]:
    """Return the 3D views of all workspaces with their areas, which exist without a window, too."""
    areas = [area for screen in bpy.data.screens for area in screen.areas if area.type == "VIEW_3D"]
    return [(area, area.spaces.active) for area in areas]


def draw_with(monkeypatch: pytest.MonkeyPatch, device: str | None) -> None:
    """Make Blender draw with a graphics card or in software; with None, not at all, as in the background.

    The machine that runs the tests may have either, and Blender starts drawing when something renders.
    """

    def device_type_get() -> str:
        if device is None:
            raise SystemError("GPU functions for drawing requires the gpu module to be initialized")
        return device

    monkeypatch.setattr(gpu.platform, "device_type_get", device_type_get)


def in_view_of(view: Any, window: Any, points: list[Any]) -> Any:
    """Return the positions of points in a view, (n, 2), from -1 to 1.

    Without a window, Blender does not compute the matrices of a view. Its lens is that of a camera with a
    sensor of 36 mm, doubled.
    """
    seen, longest = [], max(window.width, window.height)
    for point in points:
        place = view.region_3d.view_rotation.inverted() @ (point - view.region_3d.view_location)
        depth = view.region_3d.view_distance - place.z
        assert depth > 0, "behind the eye"
        reach = depth * 36 / view.lens / longest
        seen.append((place.x / (reach * window.width), place.y / (reach * window.height)))
    return np.array(seen)


def test_the_level_fills_the_views_of_all_workspaces(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_as_users()
    monkeypatch.setattr(first_view, "opens_sidebars", lambda: True)
    is_free = [view.region_3d.view_perspective == "PERSP" for _, view in views()]
    with enabled() as settings:
        settings.first_view.behind = False
        root = import_sample(tmp_path, "tr5")  # with a null room, far away
    rooms = [obj for obj in objects(root, "ROOM") if obj.data.vertices]
    corners = [obj.matrix_world @ Vector(corner) for obj in rooms for corner in obj.bound_box]
    names = {screen.name for screen in bpy.data.screens}
    assert {"Modeling", "UV Editing", "Texture Paint"} <= names and len(views()) >= 9
    turned = 0
    for free, (area, view) in zip(is_free, views(), strict=True):
        assert view.shading.color_type == "TEXTURE" and view.shading.show_backface_culling
        assert view.show_region_ui
        if not free:
            continue
        turned += 1
        window = next(each for each in area.regions if each.type == "WINDOW")
        lens = view.region_3d.window_matrix
        if np.isclose(lens[1][1] / lens[0][0], window.width / window.height, rtol=0.01):
            # The view was drawn in this size, so Blender's matrices are valid.
            scale = window.height / max(window.width, window.height) * 36 / view.lens
            assert lens[1][1] == pytest.approx(1 / scale, rel=0.01)
        seen = in_view_of(view, window, corners)
        low, high = seen.min(axis=0), seen.max(axis=0)
        right = 1 - 2 * 260 / window.width if bpy.context.preferences.system.use_region_overlap else 1
        assert (low >= -1).all() and high[0] <= right + 0.01 and high[1] <= 1
        assert ((high - low) / (right + 1, 2)).max() > 0.75  # it fills at least one direction
        assert view.clip_end > view.region_3d.view_distance * 1.5
    assert turned >= 8


def test_scripts_end_without_a_line_about_memory(tmp_path: Path) -> None:
    """Blender 5.2 does not free open sidebars at the exit of a process without a window."""
    code = (
        "import bpy, io_tomb_raider; io_tomb_raider.register();"
        f"bpy.ops.import_scene.tomb_raider(filepath={str(sample_file(tmp_path))!r});"
        f"bpy.ops.import_scene.tomb_raider(filepath={str(sample_file(tmp_path, 'tr5'))!r});"
        f"bpy.ops.export_scene.tomb_raider(filepath={str(tmp_path / 'new.trc')!r});"
        "io_tomb_raider.unregister()"
    )
    command = [sys.executable, "-c", code]
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=root)
    assert "rooms" in done.stdout and "Not freed" not in done.stdout + done.stderr


def test_a_second_level_is_looked_at_too(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_as_users()
    monkeypatch.setattr(first_view, "opens_sidebars", lambda: True)
    import_sample(tmp_path, "tr4")
    for _, view in views():
        view.shading.show_backface_culling, view.overlay.show_relationship_lines = False, True
        view.show_region_ui = False
    root = import_sample(tmp_path, "tr1")
    lara: Any = bpy.context.object
    assert lara in set(objects(root, "ENTITY"))  # the entity that an export writes
    assert bpy.context.scene.cursor.location == lara.matrix_world.translation
    seen, body = 0, lara.matrix_world.translation + Vector((0, 0, 1))
    for area, view in views():
        assert not view.shading.show_backface_culling and view.overlay.show_relationship_lines
        assert not view.show_region_ui
        if view.region_3d.view_perspective != "CAMERA":
            window = next(each for each in area.regions if each.type == "WINDOW")
            seen += 1
            assert (np.abs(in_view_of(view, window, [body])) < 1).all()
    assert seen >= 8
    # A cursor placed by the user is not moved.
    bpy.context.scene.cursor.location = Vector((4, 5, 6))
    import_sample(tmp_path, "tr2")
    assert bpy.context.scene.cursor.location == Vector((4, 5, 6))


def test_nothing_is_set_up_where_users_do_not_want_it(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_as_users()
    monkeypatch.setattr(first_view, "opens_sidebars", lambda: True)
    for _, view in views():
        view.region_3d.view_location, view.shading.color_type = (1, 2, 3), "MATERIAL"
    import_sample(tmp_path, "tr4", set_up_scene=False)
    for _, view in views():
        assert view.region_3d.view_location == Vector((1, 2, 3))
        assert view.shading.color_type == "MATERIAL" and not view.show_region_ui
    assert "Cube" in bpy.data.objects
    assert not bpy.context.scene.cursor.location.length
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (1, 250)


def eye_of(view: Any) -> Any:
    """Return the place of the eye of a 3D view: without a window, Blender does not compute its matrices."""
    region = view.region_3d
    return region.view_location + region.view_rotation @ Vector((0, 0, region.view_distance))


def first_seen(eye: Any, ray: Any) -> Any:
    """Return the place and the object that a ray of a 3D view hits, as backfaces are culled; or None."""
    graph, start = bpy.context.evaluated_depsgraph_get(), eye
    for _ in range(20):
        hit, place, normal, _, obj, _ = bpy.context.scene.ray_cast(graph, start, ray)
        if not hit:
            return None
        if normal.dot(ray) < 0 and obj.tomb_raider.kind != "SKY":
            return place, obj
        start = place + ray.normalized() * 0.002
    return None


def assert_lara_is_in_the_picture(lara: Any) -> None:
    """Assert that all views show Lara whole, large enough, aside, before a room, and not covered."""
    body, sizes = drawn_vertices(lara), []
    low, high = body.min(axis=0), body.max(axis=0)
    ends = [Vector(np.where(which, low, high).tolist()) for which in np.ndindex(2, 2, 2)]
    for area, view in views():
        if view.region_3d.view_perspective != "PERSP":
            continue
        window = next(each for each in area.regions if each.type == "WINDOW")
        seen = in_view_of(view, window, ends)
        assert (np.abs(seen) < 1).all(), "outside of the frame"
        share = np.ptp(in_view_of(view, window, [Vector(each) for each in body])[:, 1]) / 2
        assert 0.2 < share < 0.6
        sizes.append((window.width * window.height, window.width / window.height, view, seen))
    _, shape, view, seen = max(sizes, key=lambda each: each[0])
    assert abs(seen[:, 0].mean()) > 0.15  # off the middle
    eye, middle = eye_of(view), (low + high) / 2
    for end in ends:
        ray = Vector(middle + (np.array(end) - middle) * 0.6) - eye
        hit, place, _, _, obj, _ = bpy.context.scene.ray_cast(
            bpy.context.evaluated_depsgraph_get(), eye, ray, distance=ray.length
        )
        inside = hit and (low - 0.1 < np.array(place)).all() and (np.array(place) < high + 0.1).all()
        assert not hit or inside, f"{obj.name} covers her"
    wide = 36 / view.lens
    rays = [
        view.region_3d.view_rotation @ Vector((x * wide, y * wide / shape, -1.0))
        for x in np.linspace(-0.95, 0.95, 12)
        for y in np.linspace(-0.95, 0.95, 8)
    ]
    assert np.mean([first_seen(eye, ray) is not None for ray in rays]) > 0.5


@each_game
def test_lara_is_whole_in_the_first_view(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    start_as_users()
    root = import_sample(tmp_path, game)
    assert_lara_is_in_the_picture(objects(root, "ENTITY")[0])


@each_game
def test_an_import_ends_at_lara_in_the_games_light(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: Game
) -> None:
    start_as_users()
    draw_with(monkeypatch, "NVIDIA")
    root = import_sample(tmp_path, game)
    lara = objects(root, "ENTITY")[0]
    body = lara.matrix_world.translation + Vector((0, 0, 0.75))
    seen = 0
    for _, view in views():
        assert view.shading.type != "SOLID" and view.shading.color_type == "TEXTURE"
        if view.region_3d.view_perspective != "PERSP":
            continue
        seen += 1
        eye = eye_of(view)
        away = view.region_3d.view_rotation.inverted() @ (view.region_3d.view_location - body)
        assert abs(away.z) < 0.2  # the view orbits around a point beside her
        assert 3 < view.region_3d.view_distance and eye.z > body.z
        assert view.clip_end > 50
    assert seen >= 8
    hidden = [*objects(root, "LIGHT"), *objects(root, "SOUND_SOURCE"), *objects(root, "CAMERA")]
    assert not [obj for obj in objects(root, "LIGHT") if obj.visible_get()]
    assert not [obj for obj in objects(root, "SOUND_SOURCE") if obj.visible_get()]
    is_cutscene = bool(objects(root, "CINEMATIC"))  # whose cameras contain its actors
    assert all(obj.visible_get() == is_cutscene for obj in objects(root, "CAMERA")) and hidden
    assert lara.visible_get() and objects(root, "ROOM")[0].visible_get()


def test_a_library_is_shown_at_its_first_model(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    path = tmp_path / "Objects.WAD"
    path.write_bytes(sample_wad().to_bytes())
    import_file(path)
    model: Any = bpy.context.object
    corners = [part.matrix_world @ Vector(corner) for part in model.children for corner in part.bound_box]
    seen = 0
    for area, view in views():
        if view.region_3d.view_perspective == "PERSP":
            window = next(each for each in area.regions if each.type == "WINDOW")
            places = in_view_of(view, window, corners)
            assert (np.abs(places) < 1).all() and 0.2 < np.ptp(places[:, 1]) / 2 < 0.6
            seen += 1
    assert seen >= 8


def test_walls_near_lara_do_not_cover_her(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    root = import_sample(tmp_path, "tr1")
    lara: Any = objects(root, "ENTITY")[0]
    for x, y, turn in ((42.4, 47.0, -1), (59.6, 47.0, 1), (42.4, 42.4, 0), (59.6, 49.6, 2)):
        lara.rotation_euler.z = turn * np.pi / 2
        lara.location = (x, y, 0.0)
        show_level(bpy.context, root, {"view", "behind"})
        assert_lara_is_in_the_picture(lara)


@pytest.mark.parametrize(
    "shading, device, shown",
    [
        ("MATERIAL", "SOFTWARE", "MATERIAL"),
        ("SOLID", "NVIDIA", "SOLID"),
        ("AUTO", "NVIDIA", "MATERIAL"),
        ("AUTO", "SOFTWARE", "SOLID"),
        ("AUTO", None, "MATERIAL"),
    ],
)
def test_users_choose_the_shading(
    blender: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shading: str,
    device: str | None,
    shown: str,
) -> None:
    start_as_users()
    draw_with(monkeypatch, device)
    with enabled() as settings:
        settings.first_view.shading = shading
        import_sample(tmp_path, "tr1")
    with in_view() as view:
        assert view.shading.type == shown and view.shading.color_type == "TEXTURE"


def test_the_overview_is_one_click_away(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    root = import_sample(tmp_path, "tr4")
    corners = [
        obj.matrix_world @ Vector(corner)
        for obj in objects(root, "ROOM")
        for corner in obj.bound_box
        if obj.data.vertices
    ]
    with in_view() as view:
        bpy.ops.tomb_raider.camera_behind_lara()
        assert bpy.ops.tomb_raider.overview() == {"FINISHED"}
        assert view.region_3d.view_perspective == "PERSP"
        window = next(each for each in bpy.context.area.regions if each.type == "WINDOW")
        seen = in_view_of(view, window, corners)
        assert (np.abs(seen) <= 1).all() and np.ptp(seen, axis=0).max() > 1
        assert eye_of(view).z > max(corner.z for corner in corners)
        # The camera is left to orbit around Lara.
        bpy.ops.tomb_raider.camera_behind_lara()
        camera = bpy.context.scene.camera
        assert view.region_3d.view_perspective == "CAMERA"
        assert (eye_of(view) - camera.matrix_world.translation).length < 1e-3
        assert view.region_3d.view_distance == pytest.approx(3)


def test_the_selection_is_framed_next_to_the_sidebar(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    root = import_sample(tmp_path, "tr1")
    system = bpy.context.preferences.system
    room = objects(root, "ROOM")[0]
    corners = [room.matrix_world @ Vector(corner) for corner in room.bound_box]
    middle = sum(corners, Vector()) / len(corners)
    with in_view() as view:
        region = next(each for each in bpy.context.area.regions if each.type == "WINDOW")
        covered = 2 * 260 / region.width  # of 2, the width of the view
        for overlaps in (False, True):
            system.use_region_overlap = view.show_region_ui = overlaps
            select(room)
            look_at_selection(bpy.context)
            seen = in_view_of(view, region, corners)
            assert (seen >= -1).all() and (seen[:, 0] <= 1 - covered * overlaps).all()
            center = in_view_of(view, region, [middle])[0]
            assert center == pytest.approx((-covered / 2 * overlaps, 0), abs=1e-3)
            bpy.context.scene.cursor.location = corners[0]
            before = view.region_3d.view_distance
            look_at_selection(bpy.context, or_cursor=True)
            center = in_view_of(view, region, [corners[0]])[0]
            assert center == pytest.approx((-covered / 2 * overlaps, 0), abs=1e-3)
            assert view.region_3d.view_distance == before


def test_a_cutscene_without_lara_is_seen_by_its_camera(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    root = import_sample(tmp_path, "tr1", entities=False)
    (camera,) = objects(root, "CINEMATIC")
    with in_view() as view:
        assert (eye_of(view) - camera.matrix_world.translation).length < 1e-3
        assert view.region_3d.view_distance == pytest.approx(4)


@pytest.mark.parametrize("reaches", [(0.7, 0.7, 0.4, 0.4), (0.4, 0.2, 0.7, 0.7)])
def test_a_view_fits_all_points_and_touches_two_opposite_ones(
    blender: ModuleType, reaches: tuple[float, ...]
) -> None:
    points = np.random.default_rng(5).normal(size=(40, 3)) * (5, 2, 1)
    shift, distance = fit(points, np.array(reaches))
    depths = distance - points[:, 2]
    across = (points[:, :2] - shift) / depths[:, None]
    low, high = across.min(axis=0) / reaches[0::2], across.max(axis=0) / reaches[1::2]
    assert low.min() >= -1 - 1e-9 and high.max() <= 1 + 1e-9
    touched = np.isclose(low, -1) & np.isclose(high, 1)
    assert touched.any()


# --- Active object and collection ------------------------------------


@each_game
def test_lara_is_active_and_the_timeline_is_hers(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    add_cube()
    root = import_sample(tmp_path, game)
    lara: Any = bpy.context.object
    assert lara.tomb_raider.kind == "ENTITY" and lara.tomb_raider.entity.type == 0
    assert bpy.context.selected_objects == [lara]
    assert bpy.context.view_layer.active_layer_collection.collection == root
    cursor = bpy.context.scene.cursor.location.copy()
    assert cursor.length > 1 and cursor == lara.matrix_world.translation
    model = lara.instance_collection.tomb_raider.model
    scene = bpy.context.scene
    cinematic = objects(root, "CINEMATIC")
    shown = (cinematic[0] if cinematic else model).animation_data.action
    assert (scene.frame_start, scene.frame_end) == tuple(round(frame) for frame in shown.frame_range)
    assert scene.frame_current == scene.frame_start


def test_without_lara_the_first_room_is_active(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr2", entities=False)
    room = objects(root, "ROOM")[0]
    assert bpy.context.object == room
    # The cursor is in the room, unlike the room's origin, so that new objects are added there.
    cursor = bpy.context.scene.cursor.location
    assert SceneRooms(root).find(cursor) == room and spot_at(root, cursor).place == cursor
    path = tmp_path / "Objects.WAD"
    path.write_bytes(sample_wad().to_bytes())
    root = import_file(path)
    assert bpy.context.object in objects(root, "MODEL")


def test_import_keeps_the_frame_range(blender: ModuleType, tmp_path: Path) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.frame_current = 5, 77, 9
    import_sample(tmp_path, "tr1")
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (5, 77, 9)


# --- Start-up objects ----------------------------------------


def test_default_cube_light_and_camera_are_removed(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    import_sample(tmp_path, "tr1")
    assert not {"Cube", "Light", "Camera"} & {obj.name for obj in bpy.data.objects}
    assert "Cube" not in bpy.data.meshes and "Camera" not in bpy.data.cameras
    assert [each.name for each in bpy.context.scene.collection.children] == ["LEVEL1.PHD"]


def _save(folder: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "mine.blend"))


EDITS = {
    "moved": lambda _: setattr(bpy.data.objects["Cube"], "location", (0, 0, 1)),
    "modeled": lambda _: setattr(bpy.data.meshes["Cube"].vertices[3], "co", (1, 1, 2)),
    "aimed": lambda _: setattr(bpy.data.objects["Camera"], "rotation_euler", (0, 0, 0)),
    "renamed": lambda _: setattr(bpy.data.objects["Light"], "name", "Key"),
    "modified": lambda _: bpy.data.objects["Cube"].modifiers.new("Round", "SUBSURF"),
    "joined by another": lambda _: add_cube("Mine"),
    "saved": _save,
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_objects_that_users_edited_are_kept(blender: ModuleType, tmp_path: Path, edit: Any) -> None:
    start_as_users()
    edit(tmp_path)
    before = {obj.name for obj in bpy.data.objects}
    import_sample(tmp_path, "tr1", rooms=False, models=False)
    assert before <= {obj.name for obj in bpy.data.objects}


# --- The outliner and the sidebar ----------------------------------------


def test_collections_have_colors(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    colors = {child.tomb_raider.kind: child.color_tag for child in root.children}
    assert "NONE" not in colors.values()
    assert len({colors[kind] for kind in ("ROOMS", "MODELS", "ENTITIES", "TRIGGERS", "CAMERAS")}) == 5
    rooms = next(child for child in root.children if child.tomb_raider.kind == "ROOMS")
    assert {room.color_tag for room in rooms.children} == {"NONE"}


def test_view_setup_does_nothing_before_the_first_drawing(blender: ModuleType, tmp_path: Path) -> None:
    start_as_users()
    assert not choose_tabs()  # no sidebar has been drawn
    close_rooms()
