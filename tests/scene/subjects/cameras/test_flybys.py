"""Flyby cameras: positions and directions, the order of their sequences, and references in timers."""

from __future__ import annotations

from math import radians
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Euler, Matrix, Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.bytes.records import FLYBY_CAMERA
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from io_tomb_raider.scene.subjects.cameras.looking import look_rotations, view_of
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, objects

each_flying_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


def with_flybys(game: Game, edit: Any) -> bytes:
    """Return a sample level after an edit of its array of flyby cameras."""
    level = read_level(sample_bytes(game))
    cameras = level.flyby_cameras.copy()
    level.flyby_cameras = edit(cameras)
    return level.to_bytes()


def flags(**fields: Any) -> Any:
    """Return an edit that sets fields of camera 2."""

    def edit(cameras: NDArray[Any]) -> NDArray[Any]:
        for name, value in fields.items():
            cameras[name][2] = value
        return cameras

    return edit


def axes(obj: Any) -> tuple[Vector, Vector]:
    """Return the view direction and the up axis of a camera, in the world."""
    matrix = obj.matrix_world.to_3x3().normalized()
    return -matrix.col[2], matrix.col[1]


# --- Directions ----------------------------------------


@each_flying_game
def test_flybys_look_at_their_targets(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    bpy.context.view_layer.update()
    for obj, record in zip(objects(root, "FLYBY"), level.flyby_cameras, strict=True):
        place = Vector((record["x"], record["z"], -int(record["y"]))) * UNIT
        target = Vector((record["target"][0], record["target"][2], -int(record["target"][1]))) * UNIT
        assert (obj.matrix_world.translation - place).length < 1e-5
        forward, up = axes(obj)
        assert forward.angle(target - place) < 1e-4
        assert up.z > 0.5
        assert obj.data.angle_x == pytest.approx(int(record["fov"]) / 65536 * radians(360), abs=1e-6)
        assert obj.tomb_raider.flyby.distance * UNIT == pytest.approx((target - place).length, abs=1e-5)
        assert obj.tomb_raider.flyby.room == objects(root, "ROOM")[record["room"]]


def test_roll_lowers_the_right_edge(blender: ModuleType) -> None:
    ahead = look_rotations([(0, 0, 0)], [(0, 0, 1024)], [0x4000 // 90 * 10])[0]
    right, up = Vector(ahead[:, 0]), Vector(ahead[:, 1])
    assert right.z < -0.1
    assert up.x > 0.1


@pytest.mark.parametrize("roll", [0, 1, 1820, 0x4000, 0x8000, 0xFF00])
def test_directions_and_rolls_come_back(blender: ModuleType, roll: int) -> None:
    random = np.random.default_rng(3)
    targets = random.uniform(-5000, 5000, (50, 3))
    for target, rotation in zip(
        targets, look_rotations(np.zeros((50, 3)), targets, np.full(50, roll)), strict=True
    ):
        through_floats = Matrix(rotation.tolist()).to_euler().to_matrix()
        direction, found = view_of(through_floats)
        assert found == roll
        assert direction * np.linalg.norm(target) == pytest.approx(target, abs=0.01)


@pytest.mark.parametrize("target", [(0, 1, 0), (0, -1, 0), (0, 0, -1), (0, 0, 0)])
def test_views_along_axes_are_rotations(blender: ModuleType, target: tuple[int, int, int]) -> None:
    rotation = look_rotations([(0, 0, 0)], [target], [910])[0]
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-6)
    assert np.linalg.det(rotation) == pytest.approx(1, abs=1e-6)


# --- Edits ----------------------------------------

EDITS: dict[str, tuple[str, Any, str]] = {
    "sequence number": ("number", 9, "index"),
    "timer": ("timer", 31, "timer"),
    "speed": ("speed", 700, "speed"),
    "cut in": ("cuts_in", True, "flags"),
    "stop": ("stops", True, "flags"),
    "fade out": ("fades_out", True, "flags"),
    "one shot": ("is_one_shot", True, "flags"),
    "distance": ("distance", 4096, "target"),
}


@each_flying_game
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_property_changes_its_field_alone(blender: ModuleType, game: Game, name: str) -> None:
    field, value, changed = EDITS[name]

    def edit(root: Collection) -> None:
        # The last of its sequence, so that it keeps its place.
        setattr(objects(root, "FLYBY")[5].tomb_raider.flyby, field, value)

    assert changes(sample_bytes(game), edit) == [("flyby_cameras", 5, changed)]


@each_flying_game
def test_a_moved_flyby_takes_its_target_along(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "FLYBY")[1].location += Vector((16, 32, -64)) * UNIT
    before, after = read_level(data).flyby_cameras, export_scene(root).flyby_cameras
    assert [int(after[axis][1]) - int(before[axis][1]) for axis in "xyz"] == [16, 64, 32]
    assert (after["target"][1] - before["target"][1]).tolist() == [16, 64, 32]
    assert after["roll"][1] == before["roll"][1]
    assert np.delete(after, 1).tobytes() == np.delete(before, 1).tobytes()


@each_flying_game
def test_the_target_of_a_rotated_flyby_is_moved(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = objects(root, "FLYBY")[3]
    obj.rotation_euler = Euler((radians(90), 0, 0))  # level, along +y, which is the file's +z
    obj.tomb_raider.flyby.distance = 2000
    after = export_scene(root).flyby_cameras[3]
    assert after["target"].tolist() == [after["x"], after["y"], after["z"] + 2000]
    assert after["roll"] == 0


@each_flying_game
def test_a_rolled_flyby_looks_at_the_same_target(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        obj = objects(root, "FLYBY")[3]
        obj.rotation_euler = (obj.matrix_basis.to_3x3() @ Matrix.Rotation(radians(-90), 3, "Z")).to_euler()

    assert changes(data, edit) == [("flyby_cameras", 3, "roll")]
    root = import_scene(data)
    edit(root)
    before, after = read_level(data).flyby_cameras, export_scene(root).flyby_cameras
    assert int(after["roll"][3]) == int(before["roll"][3]) + 0x4000


@each_flying_game
def test_a_lens_is_a_field_of_view(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        objects(root, "FLYBY")[0].data.angle = radians(90)

    assert changes(sample_bytes(game), edit) == [("flyby_cameras", 0, "fov")]
    root = import_scene(sample_bytes(game))
    edit(root)
    assert export_scene(root).flyby_cameras["fov"][0] == 0x4000


@each_flying_game
def test_every_field_of_view_survives(blender: ModuleType, game: Game) -> None:
    fovs = np.arange(0, 0x10000, 2111)

    def edit(cameras: NDArray[Any]) -> NDArray[Any]:
        made = np.repeat(cameras[:1], len(fovs))
        made["fov"], made["index"] = fovs, np.arange(len(fovs))
        return made

    root = import_scene(with_flybys(game, edit))
    assert export_scene(root, rebuild=True).flyby_cameras["fov"].tolist() == fovs.tolist()


@each_flying_game
def test_odd_values_survive(blender: ModuleType, game: Game) -> None:
    random = np.random.default_rng(11)

    def edit(cameras: NDArray[Any]) -> NDArray[Any]:
        made = np.frombuffer(random.bytes(FLYBY_CAMERA.itemsize * 60), FLYBY_CAMERA).copy()
        made["flags"][:20] = 0x80
        made["timer"][:20] = np.arange(20)
        for axis in "xyz":
            made[axis][20:40] >>= 12
        made["target"][20:40] >>= 12
        made["target"][40] = [made[axis][40] for axis in "xyz"]
        made["room"][30:] %= 3
        return np.concatenate([cameras, made])

    data = with_flybys(game, edit)
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data


@each_flying_game
def test_a_flyby_looks_straight_down_without_turning(blender: ModuleType, game: Game) -> None:
    def down(cameras: NDArray[Any]) -> NDArray[Any]:
        for row in range(3):
            place = [int(cameras[axis][row]) for axis in "xyz"]
            cameras["target"][row] = (place[0], place[1] + 1024 * (row - 1), place[2])
            cameras["roll"][row] = 910
        return cameras

    data = with_flybys(game, down)
    root = import_scene(data)
    before = read_level(data).flyby_cameras
    assert export_scene(root, rebuild=True).flyby_cameras.tobytes() == before.tobytes()
    for obj in objects(root, "FLYBY")[:3]:
        obj.location.x += 16 * UNIT
    after = export_scene(root).flyby_cameras
    assert (after["target"][:3] - before["target"][:3]).tolist() == [[16, 0, 0]] * 3
    assert after["roll"][:3].tolist() == [910] * 3


@each_flying_game
def test_a_camera_without_distance_gets_one_when_it_is_turned(blender: ModuleType, game: Game) -> None:
    place = [int(read_level(sample_bytes(game)).flyby_cameras[axis][2]) for axis in "xyz"]
    root = import_scene(with_flybys(game, flags(target=place)))
    obj = objects(root, "FLYBY")[2]
    assert export_scene(root).flyby_cameras["target"][2].tolist() == place
    obj.rotation_euler = Euler((radians(90), 0, radians(-90)))
    target = export_scene(root).flyby_cameras["target"][2].tolist()
    assert target == [place[0] + 1024, place[1], place[2]]


# --- Sequences ----------------------------------------


def keys(records: NDArray[Any]) -> list[tuple[int, int]]:
    return [(int(record["sequence"]), int(record["index"])) for record in records]


@each_flying_game
def test_a_copy_is_inserted_by_its_number(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    made = copy_of(objects(root, "FLYBY")[2])
    made.tomb_raider.flyby.number = 3
    before, after = keys(read_level(data).flyby_cameras), keys(export_scene(root).flyby_cameras)
    assert after == [*before[:4], (0, 3), *before[4:]]


@each_flying_game
def test_a_renumbered_camera_changes_its_place(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    objects(root, "FLYBY")[6].tomb_raider.flyby.number = 200  # before: 1.1, and 1.3 follows
    assert keys(export_scene(root).flyby_cameras)[-2:] == [(1, 3), (1, 200)]


@each_flying_game
def test_a_camera_of_a_new_sequence_comes_last(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    copy_of(objects(root, "FLYBY")[0]).tomb_raider.flyby.sequence = 7
    assert keys(export_scene(root).flyby_cameras)[-1] == (7, 0)


@each_flying_game
def test_gaps_and_order_of_sequences_are_kept(blender: ModuleType, game: Game) -> None:
    data = with_flybys(game, lambda cameras: cameras[[7, 3, 1, 0, 6, 2]])
    root = import_scene(data)
    before = keys(read_level(data).flyby_cameras)
    assert keys(export_scene(root, rebuild=True).flyby_cameras) == before
    bpy.data.objects.remove(objects(root, "FLYBY")[2])
    assert keys(export_scene(root).flyby_cameras) == [*before[:2], *before[3:]]


# --- References in timers ----------------------------------------


@each_flying_game
def test_cuts_follow_their_camera(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_flybys(game, flags(flags=0x80, timer=4)))
    objs = objects(root, "FLYBY")
    assert objs[2].tomb_raider.flyby.cut_to == objs[4]
    bpy.data.objects.remove(objs[1])
    after = export_scene(root).flyby_cameras
    assert after["timer"][1] == 3
    assert after["index"].tolist()[:5] == [0, 2, 3, 4, 5]


@each_flying_game
def test_bits_of_a_timer_that_no_cut_reads_stay(blender: ModuleType, game: Game) -> None:
    data = with_flybys(game, flags(flags=0x80, timer=0x7F4))
    root = import_scene(data)
    assert objects(root, "FLYBY")[2].tomb_raider.flyby.cut_to == objects(root, "FLYBY")[4]
    assert export_scene(root).to_bytes() == data


@each_flying_game
def test_a_cut_to_another_sequence_is_a_warning(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_flybys(game, flags(flags=0x80, timer=4)))
    objs = objects(root, "FLYBY")
    objs[2].tomb_raider.flyby.cut_to = objs[7]
    level, report = export_level(root)
    assert level.flyby_cameras["timer"][2] == 4
    assert any("is not in its sequence" in text for text in report.warnings)


def test_cuts_reach_sixteen_cameras(blender: ModuleType) -> None:
    def many(cameras: NDArray[Any]) -> NDArray[Any]:
        made = np.repeat(cameras[:1], 20)
        made["index"] = np.arange(20)
        made["flags"][2] = 0x80
        return made

    root = import_scene(with_flybys(Game.TR4, many))
    objs = objects(root, "FLYBY")
    objs[2].tomb_raider.flyby.cut_to = objs[15]
    assert export_scene(root).flyby_cameras["timer"][2] == 15
    objs[2].tomb_raider.flyby.cut_to = objs[16]
    with pytest.raises(
        ExportError, match=r"the camera that it cuts to has too high a number in its sequence: 16"
    ):
        export_scene(root)


def test_tracked_entities_are_followed(blender: ModuleType) -> None:
    root = import_scene(with_flybys(Game.TR4, flags(flags=0x2, timer=5)))
    entities = objects(root, "ENTITY")
    assert objects(root, "FLYBY")[2].tomb_raider.flyby.tracks == entities[5]
    bpy.data.objects.remove(entities[3])
    assert export_scene(root).flyby_cameras["timer"][2] == 4


@pytest.mark.parametrize("name", ["cuts", "tracks_entity"])
def test_a_timer_of_another_meaning_starts_at_zero(blender: ModuleType, name: str) -> None:
    """It is the number of a camera or an entity, or a duration."""
    root = import_scene(sample_bytes(Game.TR4))
    settings = objects(root, "FLYBY")[0].tomb_raider.flyby
    settings.flags = 0
    for value in (True, False):
        settings.timer = 600
        setattr(settings, name, value)
        assert settings.timer == 0


def test_the_fifth_game_tracks_no_entities(blender: ModuleType) -> None:
    root = import_scene(with_flybys(Game.TR5, flags(flags=0x2, timer=5)))
    assert objects(root, "FLYBY")[2].tomb_raider.flyby.tracks is None
    bpy.data.objects.remove(objects(root, "ENTITY")[3])
    assert export_scene(root).flyby_cameras["timer"][2] == 5


# --- Rooms, and values that do not fit ----------------------------------------


@each_flying_game
def test_a_flyby_moved_into_another_room_belongs_to_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    objs = objects(root, "FLYBY")
    bpy.context.view_layer.update()
    objs[0].matrix_world = objs[6].matrix_world
    assert export_scene(root).flyby_cameras["room"][0] == 1


def test_more_than_the_game_has_room_for_are_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    for _ in range(121):
        copy_of(objects(root, "FLYBY")[0])
    level, report = export_level(root)
    assert len(level.flyby_cameras) == 129
    text = f"{root.name}: there are 129 flyby cameras, and the original game supports 128"
    assert text in report.warnings


def test_a_target_too_far_away_is_an_error_that_names_the_camera(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    objects(root, "FLYBY")[0].tomb_raider.flyby.distance = 1e12
    with pytest.raises(ExportError, match=r"Flyby 0\.0: its target is too far away"):
        export_scene(root)


@each_flying_game
def test_flybys_that_were_not_imported_are_kept(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(cameras=False)).root
    assert not objects(root, "FLYBY")
    assert export_scene(root).to_bytes() == data


@each_real_level
def test_real_flybys_come_back_when_rebuilt(blender: ModuleType, level_path: Any) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    if not len(getattr(level, "flyby_cameras", ())):
        pytest.skip("it has none")
    root = import_scene(data)
    assert export_scene(root, rebuild=True).flyby_cameras.tobytes() == level.flyby_cameras.tobytes()
