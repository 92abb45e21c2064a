"""Characters from other programs."""

from __future__ import annotations

from typing import Any

import bpy

from ...rig_tools import armature


def character(root: Any, names: dict[str, str] | None = None, *, size: float = 1.0) -> tuple[Any, Any]:
    """Create a bending mesh around Lara's bones, on an armature with other bone names."""
    model = armature(root)
    data = bpy.data.armatures.new("Hero")
    hero: Any = bpy.data.objects.new("Hero", data)
    bpy.context.scene.collection.objects.link(hero)
    layer: Any = bpy.context.view_layer
    layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in model.data.bones:
        made = data.edit_bones.new((names or {}).get(bone.name, bone.name))
        made.head, made.tail = bone.head_local * size, bone.tail_local * size
        if bone.parent is not None:
            made.parent = data.edit_bones[(names or {}).get(bone.parent.name, bone.parent.name)]
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new("Hero")
    places: list[Any] = []
    faces = []
    for bone in data.bones:
        first = len(places)
        middle = (bone.head_local + bone.tail_local) / 2
        turn: Any = bone.matrix_local.to_3x3().transposed()
        places += [middle + turn[axis] * 0.05 * size * side for axis in (0, 2) for side in (1, -1)]
        faces.append((first, first + 2, first + 1, first + 3))
    mesh.from_pydata(places, [], faces)
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(bpy.data.materials.new("Skin"))
    body: Any = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    for number, bone in enumerate(data.bones):
        own, other = body.vertex_groups.new(name=bone.name), bone.parent
        own.add(range(4 * number, 4 * number + 4), 0.7, "REPLACE")
        if other is not None:
            body.vertex_groups[other.name].add(range(4 * number, 4 * number + 4), 0.3, "ADD")
    body.parent = hero
    body.modifiers.new("Armature", "ARMATURE").object = hero
    return hero, body
