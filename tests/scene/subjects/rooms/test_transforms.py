"""Rooms that are rotated, mirrored or shifted as objects: exported as shown, or refused with the cause."""

from __future__ import annotations

from math import pi
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Room, read_level
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level
from tests.scene.exporting import export_level

from ...scenes import UNIT, export_scene, exported, import_scene, objects, room_object
from .sample_rooms import CORRIDOR

_MIRROR = {"x": (-1, 1, 1), "y": (1, -1, 1), "z": (1, 1, -1)}


def points_of(room: Room) -> NDArray[np.float64]:
    return np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(float)


def normals_of(room: Room, corners: NDArray[Any]) -> NDArray[np.float64]:
    """Return the normals of faces in the file's axes by their corners."""
    at = points_of(room)[corners]
    return np.asarray(np.cross(at[:, 2] - at[:, 0], at[:, 1] - at[:, -1]))


def delete_collision(root: Any) -> None:
    """Delete collision, as sectors cannot be mirrored."""
    bpy.data.batch_remove(objects(root, "COLLISION"))


@pytest.mark.parametrize("axis", "xyz")
@each_game
def test_faces_of_a_mirrored_room_are_seen_from_within(blender: ModuleType, game: Game, axis: str) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    delete_collision(root)
    for kind in ("TRIGGER", "SPRITE"):
        bpy.data.batch_remove(objects(root, kind))
    room_object(root, CORRIDOR).scale = _MIRROR[axis]
    before, after = read_level(data).rooms[CORRIDOR], export_scene(root).rooms[CORRIDOR]
    sides = np.array(_MIRROR[axis])[[0, 2, 1]]  # Blender's z is up, the file's y down
    count = len(points_of(before)) if game is not Game.TR5 else len(points_of(after))
    assert np.array_equal(points_of(after)[:count], points_of(before)[:count] * sides)
    for name in ("quads", "triangles"):
        old, new = getattr(before, name)["vertices"], getattr(after, name)["vertices"]
        if len(old) and game is not Game.TR5:  # where vertex numbers are relative to layers
            assert np.array_equal(normals_of(after, new), normals_of(before, old) * sides)


@pytest.mark.parametrize("is_held", [True, False], ids=["held", "parked"])
def test_mirrored_faces_have_the_textures_that_blender_shows(blender: ModuleType, is_held: bool) -> None:
    """Also on unrepresentable faces, which use a vertex twice."""
    sample = sample_level(Game.TR1)
    if not is_held:
        sample.rooms[CORRIDOR].quads["vertices"][0, 3] = sample.rooms[CORRIDOR].quads["vertices"][0, 2]
    data = sample.to_bytes()
    root = import_scene(data)
    delete_collision(root)
    bpy.data.batch_remove([*objects(root, "TRIGGER"), *objects(root, "SPRITE")])
    room_object(root, CORRIDOR).scale.x = -1
    level = export_scene(root)
    old, new = read_level(data), level
    for name in ("quads", "triangles"):
        before, after = getattr(old.rooms[CORRIDOR], name), getattr(new.rooms[CORRIDOR], name)
        for one, other in zip(before, after, strict=True):
            assert picture_corners(old, one) == picture_corners(new, other)
            corners = one["vertices"].tolist(), other["vertices"].tolist()
            assert follows(corners[0]) == {(after, before) for before, after in follows(corners[1])}


def follows(corners: list[int]) -> set[tuple[int, int]]:
    """Return the next vertex of each vertex of a face."""
    return {
        (one, other) for one, other in zip(corners, corners[1:] + corners[:1], strict=True) if one != other
    }


def picture_corners(level: Any, face: Any) -> set[tuple[Any, ...]]:
    """Return for a face of a room which corner of its picture every vertex shows."""
    record = level.object_textures[int(face["texture"]) & 0x7FFF]
    corners = record["uv"][: len(face["vertices"])] >> 8
    pairs = zip(face["vertices"].tolist(), corners.tolist(), strict=True)
    return {(vertex, int(record["page"]), *corner) for vertex, corner in pairs}


@pytest.mark.parametrize("scale", [1, -1])
def test_vertex_normals_of_a_turned_room_turn_along(blender: ModuleType, scale: int) -> None:
    data = sample_bytes(Game.TR5)
    root = import_scene(data)
    delete_collision(root)
    bpy.data.batch_remove(objects(root, "TRIGGER"))
    room = room_object(root, CORRIDOR)
    room.rotation_euler.z = pi / 2  # x becomes y: in the file x becomes z, and z becomes -x
    room.scale.x = scale
    before, after = read_level(data).rooms[CORRIDOR].vertices, export_scene(root).rooms[CORRIDOR].vertices
    assert np.allclose(after["nz"], scale * before["nx"], atol=1e-5)
    assert np.allclose(after["nx"], -before["nz"], atol=1e-5)
    assert np.allclose(after["ny"], before["ny"], atol=1e-5)


@pytest.mark.parametrize(
    ("how", "word"), [("turned", "rotated or scaled"), ("mirrored", "mirrored"), ("origin", "origin of")]
)
def test_collision_outside_of_a_transformed_room_names_the_cause(
    blender: ModuleType, how: str, word: str
) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = room_object(root, CORRIDOR)
    if how == "turned":
        room.rotation_euler.z = pi
    elif how == "mirrored":
        room.scale.x = -1
    else:
        set_origin(room, 40)
    with pytest.raises(ExportError, match="faces of its collision are outside") as error:
        export_level(root)
    assert word in str(error.value) and room.name in str(error.value)


def set_origin(room: Any, meters: float) -> None:
    """Move an object's origin along x as Set Origin does, without moving its vertices."""
    room.location.x += meters
    for vertex in room.data.vertices:
        vertex.co.x -= meters
    for child in room.children:
        child.matrix_parent_inverse.translation.x -= meters


def test_vertices_too_far_from_a_moved_origin_name_the_cause(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = room_object(root, CORRIDOR)
    set_origin(room, 40000 * UNIT)
    with pytest.raises(ExportError, match="a vertex is too far from the origin") as error:
        export_level(root)
    assert f"The origin of {room.name} was moved" in str(error.value)


@pytest.mark.parametrize("kind", ["PORTAL", "TRIGGER"])
def test_errors_of_children_of_a_room_name_its_moved_origin(blender: ModuleType, kind: str) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, kind)[0]
    room = obj.parent
    delete_collision(root)
    set_origin(room, -20 * 1024 * UNIT)
    if kind == "PORTAL":
        obj.location.x += 20 * 1024 * UNIT
    with pytest.raises(ExportError) as error:
        export_level(root)
    assert error.value.subject == obj.name
    assert f"The origin of {room.name} was moved" in str(error.value)


def test_a_room_that_moves_with_its_mesh_needs_no_cause(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    collision = objects(root, "COLLISION")[CORRIDOR]
    collision.location.x += 40
    with pytest.raises(ExportError, match=f"{collision.name} is not at the origin of its room"):
        export_level(root)


def use(*chosen: Any) -> None:
    """Select objects; the first one becomes active."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in chosen)
    bpy.context.view_layer.objects.active = chosen[0]


@pytest.mark.parametrize("order", [1, -1])
@each_game
def test_a_joined_room_is_refused_unless_its_collision_is_deleted(
    blender: ModuleType, game: Game, order: int
) -> None:
    root = import_scene(sample_bytes(game))
    kept, lost = [room_object(root, number) for number in (0, CORRIDOR)][::order]
    name, collision = lost.name, lost.name + " Collision"
    use(kept, lost)
    bpy.ops.object.join()
    text = rf"^{kept.name}: {name} was joined to it .* delete {collision}$"
    with pytest.raises(ExportError, match=text):
        export_scene(root)
    errors = [note for note in check_scene(root) if note.severity == "ERROR"]
    assert [note.subject for note in errors] == [kept.name]
    bpy.data.objects.remove(bpy.data.objects[collision])
    _, warnings = exported(root)
    assert (
        f"{kept.name}: the mesh of {name} was joined to it, and the rest of that room is left out" in warnings
    )


def test_a_joined_room_that_is_too_far_away_is_named_too(blender: ModuleType) -> None:
    level = sample_level(Game.TR1)
    level.rooms[CORRIDOR].x += 64 * 1024
    root = import_scene(level.to_bytes())
    use(room_object(root, 0), room_object(root, CORRIDOR))
    bpy.ops.object.join()
    with pytest.raises(ExportError, match=r"^Room 000: Room 001 was joined to it"):
        export_scene(root)


def test_a_deleted_room_is_not_a_joined_one(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    bpy.data.objects.remove(room_object(root, CORRIDOR))
    room_object(root, 0).data.vertices[0].co.z += UNIT * 64
    assert not [text for text in exported(root)[1] if "joined" in text]


@pytest.mark.parametrize("what", ["scale", "rotation"])
@each_game
def test_applied_transforms_are_named_with_the_room(blender: ModuleType, game: Game, what: str) -> None:
    root = import_scene(sample_bytes(game))
    room = room_object(root, 0)
    room.scale = (2, 2, 2) if what == "scale" else (1, 1, 1)
    room.rotation_euler.z = pi / 2 if what == "rotation" else 0
    use(room)
    bpy.context.view_layer.update()
    bpy.ops.object.transform_apply(
        location=False, rotation=what == "rotation", scale=what == "scale", properties=False
    )
    with pytest.raises(
        ExportError, match=f"^{room.name}: .* mesh of {room.name} was rotated or scaled.*undo it"
    ):
        export_scene(root)
