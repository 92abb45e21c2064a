"""Hiding many objects at once."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from io_tomb_raider.scene.core.blender.visibility import hide_objects


@pytest.mark.parametrize("count", [3, 12])
def test_hiding_many_objects_equals_hiding_each(blender: ModuleType, count: int) -> None:
    objects = [bpy.data.objects.new(f"Thing {number}", None) for number in range(count + 1)]
    for obj in objects:
        bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    *hidden, shown = objects
    for hide in (True, False):
        hide_objects({obj: hide for obj in hidden})
        bpy.context.view_layer.update()
        assert [obj.hide_viewport for obj in hidden] == [hide] * count and not shown.hide_viewport
        assert [obj.visible_get() for obj in hidden] == [not hide] * count and shown.visible_get()
        evaluated = {each.object.original for each in bpy.context.evaluated_depsgraph_get().object_instances}
        assert evaluated == ({shown} if hide else set(objects))
