"""Which objects a level's collection holds."""

from __future__ import annotations

from types import ModuleType

import bpy

from io_tomb_raider.scene.base.members import members


def test_members_are_those_of_all_collections_within_each_once(blender: ModuleType) -> None:
    names = ("root", "inner", "innermost", "other", "beside")
    root, inner, innermost, other, beside = (bpy.data.collections.new(name) for name in names)
    root.children.link(inner)
    inner.children.link(innermost)
    root.children.link(other)
    other.children.link(innermost)  # a collection may be in several
    things = {}
    for home in (root, inner, innermost, other, beside):
        things[home] = bpy.data.objects.new(home.name, None)
        home.objects.link(things[home])
    root.objects.link(things[innermost])  # and so may an object
    found = members(root)
    assert len(found) == len(set(found))
    assert set(found) == {things[root], things[inner], things[innermost], things[other]}
    assert set(found) == set(root.all_objects)

    bpy.data.objects.remove(things[innermost])
    assert set(members(root)) == {things[root], things[inner], things[other]}
    assert members(bpy.data.collections.new("empty")) == []
