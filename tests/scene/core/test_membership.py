"""The objects of a level's collections."""

from __future__ import annotations

from types import ModuleType

import bpy

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.membership import LevelObjects, level_holding, level_of, members
from tests.sample_levels import sample_bytes
from tests.scene.scenes import import_scene


def test_members_are_those_of_all_collections_within_each_once(blender: ModuleType) -> None:
    names = ("root", "inner", "innermost", "other", "beside")
    root, inner, innermost, other, beside = (bpy.data.collections.new(name) for name in names)
    root.children.link(inner)
    inner.children.link(innermost)
    root.children.link(other)
    other.children.link(innermost)  # a collection may be in several
    objects = {}
    for home in (root, inner, innermost, other, beside):
        objects[home] = bpy.data.objects.new(home.name, None)
        home.objects.link(objects[home])
    root.objects.link(objects[innermost])  # and so may an object
    found = members(root)
    assert len(found) == len(set(found))
    assert set(found) == {objects[root], objects[inner], objects[innermost], objects[other]}
    assert set(found) == set(root.all_objects)

    bpy.data.objects.remove(objects[innermost])
    assert set(members(root)) == {objects[root], objects[inner], objects[other]}
    assert members(bpy.data.collections.new("empty")) == []


def test_objects_of_a_level_include_children_of_its_bones(blender: ModuleType) -> None:
    root, other = import_scene(sample_bytes(Game.TR1)), import_scene(sample_bytes(Game.TR1))
    hung = {}
    for level in (root, other):
        model = next(each for each in members(level) if each.tomb_raider.kind == "MODEL")
        hung[level] = bpy.data.objects.new("Hung", None)
        hung[level].parent, hung[level].parent_type = model, "BONE"
        hung[level].parent_bone = model.data.bones[0].name
    beside = bpy.data.objects.new("Beside", None)
    beside.parent = model  # to the object, not to a bone
    for level in (root, other):
        found = LevelObjects(level).with_bone_children
        assert set(found) == {*members(level), hung[level]}
        assert found == [each for each in bpy.data.objects if each in set(found)]


def test_objects_and_their_properties_belong_to_the_level_that_contains_them(blender: ModuleType) -> None:
    root, other = import_scene(sample_bytes(Game.TR1)), import_scene(sample_bytes(Game.TR1))
    for level in (root, other):
        for obj in members(level):
            assert level_of(obj) == level
            assert level_holding(obj.tomb_raider) == level
        assert level_of(obj, [other]) == (other if level == other else None)
        assert level_holding(level.tomb_raider) == level
    action = next(each for each in bpy.data.actions if each.tomb_raider.model in members(other))
    assert level_holding(action.tomb_raider) == other
    new = bpy.data.objects.new("New", None)
    assert level_of(new) is None
    root.children[0].objects.link(new)  # an object that no import has created
    assert level_holding(new.tomb_raider) == root
