"""Sequences of edits on generated and real levels, checked by independent rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from mathutils import Matrix

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.scene.core.order import ordered
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.subjects.portals.room_tools import delete_room, duplicate_room
from tests.games import each_game
from tests.level_rules import broken_indices, lonely_portals, lost_openings, one_way_openings
from tests.level_rules.compare import newly_broken
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import UNIT, copy_of, import_scene, move_to, objects
from .subjects.rooms.sample_rooms import imported_room, room_map, separate

FAR = 32 * 1024 * UNIT
_LARA = 0


def lone_copy(obj: Any) -> Any:
    """Duplicate an object as Shift+D does, with its mesh."""
    made = copy_of(obj)
    made.data = made.data.copy()
    return made


class Person:
    """A sequence of edits as far as a level supports them, with their expected results."""

    def __init__(self, level: Level, root: Collection) -> None:
        self.root, self.count = root, len(level.rooms)
        homes = set(level.entities["room"][level.entities["type"] == _LARA].tolist())
        hidden = {room.alternate_room for room in level.rooms}  # until the level is flipped
        order = [number for number in range(self.count) if number not in homes | hidden]
        self.gone, self.copied = ([*order, -1, -1])[:2]
        self.cut, self.refined = ([*order[2:], *sorted(homes - hidden), -1, -1])[:2]
        self.entities = 0

    def room(self, number: int) -> Any:
        return imported_room(self.root, number)

    def duplicate_and_move_a_room(self) -> None:
        if self.copied >= 0:
            duplicate_room(self.root, self.room(self.copied)).location.x += FAR

    def delete_a_room(self) -> None:
        if self.gone >= 0:
            delete_room(self.root, self.room(self.gone), with_inhabitants=False)

    def separate_a_part(self) -> None:
        if self.cut >= 0:
            obj = self.room(self.cut)
            middle = np.mean([face.center[:] for face in obj.data.polygons], axis=0)
            if len({face.center.x > middle[0] for face in obj.data.polygons}) == 2:
                separate(obj, lambda center: center.x > middle[0])

    def drag_a_light_and_a_placement(self) -> None:
        target = (
            world_matrix(objects(self.root, "ENTITY")[0]).translation
            if objects(self.root, "ENTITY")
            else None
        )
        for kind in ("LIGHT", "PLACEMENT"):
            for obj in objects(self.root, kind)[:1] if target is not None else ():
                move_to(obj, target)

    def add_an_entity_by_instance(self) -> None:
        objs = (each for each in objects(self.root, "ENTITY") if each.tomb_raider.entity.type != _LARA)
        like = next((each for each in objs if each.instance_collection), None)
        if like is not None:
            made = bpy.data.objects.new("Mine", None)
            made.instance_type, made.instance_collection = "COLLECTION", like.instance_collection
            self.root.objects.link(made)
            made.matrix_world = world_matrix(like)
            self.entities += 1

    def mirror_a_static_mesh(self) -> None:
        for obj in objects(self.root, "STATIC_MESH")[:1]:
            obj.data.transform(Matrix.Scale(-1, 4, (1, 0, 0)))
            obj.data.flip_normals()
        for obj in objects(self.root, "PLACEMENT")[1:2]:
            obj.scale.x = -1

    def subdivide_by_a_modifier(self) -> None:
        if self.refined >= 0:
            modifier = self.room(self.refined).modifiers.new("Mine", "SUBSURF")
            modifier.subdivision_type, modifier.levels = "SIMPLE", 1

    def join_meshes(self) -> None:
        libraries = objects(self.root, "STATIC_MESH")
        if len(libraries) > 1:
            objs = [lone_copy(obj) for obj in libraries[:2]]
            with bpy.context.temp_override(
                active_object=objs[0],
                object=objs[0],
                selected_objects=objs,
                selected_editable_objects=objs,
            ):
                assert bpy.ops.object.join() == {"FINISHED"}


def judge(old: Level, new: Level, person: Person, names: Sequence[str], warnings: Sequence[str]) -> None:
    """Assert that a level keeps the rules, or that the export has reported each exception."""
    numbers = room_map(person.count, [person.gone])
    kept = {(numbers[room], numbers[to]) for room, to in lost_openings(old) if to < person.count}
    assert set(lost_openings(new)) <= kept
    assert len(broken_indices(new)) <= len(broken_indices(old))
    for check, word in ((one_way_openings, "opening"), (lonely_portals, "portal")):
        before = {(numbers[room], numbers[to]) for room, to in check(old) if to < person.count}
        for room, target in check(new) - before:
            told = [each for each in warnings if each.startswith(f"{names[room]}: ") and word in each]
            assert any(names[target] in each for each in told), (word, names[room], names[target])


def run(data: bytes) -> None:
    old = read_level(data)
    root = import_scene(data)
    person = Person(old, root)
    person.duplicate_and_move_a_room()
    person.delete_a_room()
    person.separate_a_part()
    person.drag_a_light_and_a_placement()
    person.add_an_entity_by_instance()
    person.mirror_a_static_mesh()
    person.subdivide_by_a_modifier()
    person.join_meshes()
    bpy.context.view_layer.update()
    level, report = export_level(root)
    new = read_level(level.to_bytes())
    names = [obj.name for obj, _ in ordered(objects(root, "ROOM"))]
    judge(old, new, person, names, report.warnings)
    # Subdivision cuts textures within pixels, where no corner can be right.
    assert newly_broken(old, new) <= {"texture fractions"}
    deleted, copies = person.gone >= 0, person.copied >= 0
    assert len(new.rooms) == person.count - deleted + copies
    assert len(new.entities) == len(old.entities) + person.entities
    assert (new.entities["type"] == _LARA).sum() == (old.entities["type"] == _LARA).sum()
    numbers = room_map(person.count, [person.gone])
    for room in set(range(person.count)) - {person.gone, person.cut, person.refined}:
        assert np.array_equal(new.rooms[numbers[room]].vertices, old.rooms[room].vertices)
    if person.refined >= 0:
        refined = new.rooms[numbers[person.refined]]
        assert len(refined.vertices) > len(old.rooms[person.refined].vertices)


@each_game
def test_a_persons_edits_leave_a_sound_level(blender: ModuleType, game: Any) -> None:
    run(sample_bytes(game))


@each_real_level
def test_a_persons_edits_leave_real_levels_sound(blender: ModuleType, level_path: Path) -> None:
    run(level_path.read_bytes())
