"""Objects with mirrors, scales and rotations that the games do not support."""

from __future__ import annotations

from types import ModuleType

import pytest

from io_tomb_raider.formats import Game, Level, read_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import export_scene, import_scene, objects

_HALF = 0x8000


@pytest.mark.parametrize(("axis", "turned"), [(0, 0), (1, _HALF), (2, 0)])
@pytest.mark.parametrize("kind", ["ENTITY", "PLACEMENT"])
def test_mirrored_objects_face_the_direction_of_their_front(
    blender: ModuleType, kind: str, axis: int, turned: int
) -> None:
    """The front of a model is along y: only a mirror along y turns it around."""
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    obj = objects(root, kind)[1]
    obj.rotation_euler.z = 1.0
    before = export_scene(root)
    obj.scale[axis] = -1
    after, report = export_level(root)

    def angle(level: Level) -> int:
        if kind == "ENTITY":
            return int(level.entities["angle"][1]) % 0x10000
        found = [each for room in level.rooms for each in room.static_meshes]
        return int(found[1]["angle"]) % 0x10000

    assert abs(angle(after) - (angle(before) + turned) % 0x10000) <= 1
    told = [text for text in report.warnings if text.startswith(f"{obj.name}: ")]
    assert told == [f"{obj.name}: it is mirrored, but the game shows it like its model"]


def test_a_scaled_and_mirrored_object_is_reported_as_both(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, "ENTITY")[0]
    obj.scale = (-2, 2, 2)
    told = "\n".join(export_level(root)[1].warnings)
    assert f"{obj.name}: it is scaled, but" in told and f"{obj.name}: it is mirrored, but" in told


@pytest.mark.parametrize("kind", ["STATIC_MESH", "SPRITE_TEXTURE"])
def test_a_scaled_or_rotated_library_object_is_reported(blender: ModuleType, kind: str) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    first, second = objects(root, kind)[:2]
    first.scale.x, second.rotation_euler.z = 2, 1
    level, report = export_level(root)
    assert level.to_bytes() == data
    for obj in (first, second):
        assert f"{obj.name}: it is rotated, mirrored or scaled as an object" in "\n".join(report.warnings)
    assert len(report.warnings) == 2


def test_a_mirrored_flyby_camera_looks_where_it_looked(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = objects(root, "FLYBY")[0]
    obj.scale.x = -1
    before, after = read_level(data).flyby_cameras[0], export_scene(root).flyby_cameras[0]
    assert abs(before["target"] - after["target"]).max() <= 1
    assert abs(int(before["roll"]) - int(after["roll"])) <= 2


@pytest.mark.parametrize("kind", ["ROOM", "MODEL_MESH"])
def test_faces_removed_by_validation_are_reported(blender: ModuleType, kind: str) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    told = []
    for obj in objects(root, kind):
        count = len(obj.data.polygons)
        obj.data.validate()
        if len(obj.data.polygons) < count:
            told.append(f"{obj.name}: {count - len(obj.data.polygons)} faces on the corners of other faces")
    assert told
    warnings = "\n".join(export_level(root)[1].warnings)
    assert all(text in warnings for text in told)


def test_a_deleted_face_gives_no_warning(blender: ModuleType) -> None:
    from .scenes import edit_bmesh

    root = import_scene(sample_bytes(Game.TR1))
    edit_bmesh(objects(root, "ROOM")[0].data, lambda bm: bm.faces.remove(bm.faces[0]))
    assert export_level(root)[1].warnings == []
