"""Answers about animation, in the tested Blender: where controls and nodes are, and what an action holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

Place = tuple[int, int]
_STEPS = 6  # points on an edge of a control's shape
_REACH = 60.0  # pixels within which other controls may be clicked instead


def _armature() -> Any:
    return _main().view_layer.objects.active


def _main() -> Any:
    return bpy.context.window_manager.windows[0]


def posing() -> dict[str, Any]:
    """Return what the active armature shows: action, frame, playback, bones."""
    armature, window = _armature(), _main()
    data = None if armature is None else armature.animation_data
    action = None if data is None else data.action
    is_posed = armature is not None and armature.mode == "POSE"
    return {
        "action": None if action is None else action.name,
        "index": -1 if action is None else action.tomb_raider.index,
        "ticks": 0 if action is None else round(action.frame_range[1] - action.frame_range[0]) + 1,
        "frame": window.scene.frame_current,
        "playing": window.screen.is_animation_playing,
        "autokey": window.scene.tool_settings.use_keyframe_insert_auto,
        "bones": sorted(bone.name for bone in armature.pose.bones if _is_selected(bone)) if is_posed else [],
        "rig": is_posed and any(bone.bone.tomb_raider.control for bone in armature.pose.bones),
        "actions": sorted(each.name for each in bpy.data.actions),
        "places": {bone.name: list(bone.head) for bone in armature.pose.bones} if is_posed else {},
    }


def _is_selected(bone: Any) -> bool:
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)


def rows(action: str) -> list[list[Any]]:
    """Return the state changes of an action: state, low, high, the other action, its frame."""
    found: Any = bpy.data.actions[action].tomb_raider.dispatches
    return [[row.state, row.low, row.high, row.action, row.frame] for row in found]


def curves(action: str) -> list[list[Any]]:
    """Return the paths of an action's curves, with their indices and the frames of their keys."""
    found: Any = bpy.data.actions[action]
    return [
        [curve.data_path, curve.array_index, [point.co.x for point in curve.keyframe_points]]
        for curve in found.fcurves
    ]


def control(name: str, height: int) -> Place | None:
    """Return the position on the screen of a bone, where a click selects it, None if there is none.

    Of the points of its shape, that is the one furthest from all other bones.
    """
    armature = _armature()
    areas = [area for area in _main().screen.areas if area.type == "VIEW_3D"]
    area = max(areas, key=lambda area: area.width * area.height)
    region = next(region for region in area.regions if region.type == "WINDOW")
    own = list(_on_screen(armature.pose.bones[name], armature, area, region))
    others = [
        place
        for bone in armature.pose.bones
        if bone.name != name and not bone.bone.hide and _is_shown(bone)
        for place in _on_screen(bone, armature, area, region)
    ]
    best, away = None, 0.0
    for place in own:
        distance = min(((place - other).length for other in others), default=_REACH)
        if min(distance, _REACH) > away:
            best, away = place, min(distance, _REACH)
    if best is None:
        return None
    return round(_main().x + best.x), round(height - (_main().y + best.y))


def _is_shown(bone: Any) -> bool:
    collections = bone.bone.collections
    return not len(collections) or any(each.is_visible_effectively for each in collections)


def _on_screen(bone: Any, armature: Any, area: Any, region: Any) -> Iterator[Vector]:
    """Yield points of a bone, in pixels of the window, where no other region covers them."""
    covered = [each for each in area.regions if each.type != "WINDOW" and each.width > 1]
    for point in _points(bone, armature):
        space: Any = area.spaces.active.region_3d
        place: Any = location_3d_to_region_2d(region, space, point)
        if place is None or not (0 < place.x < region.width and 0 < place.y < region.height):
            continue
        place = place + Vector((region.x, region.y))
        if not any(_is_in(place, each) for each in covered):
            yield place


def _is_in(place: Vector, part: Any) -> bool:
    return bool(part.x <= place.x < part.x + part.width and part.y <= place.y < part.y + part.height)


def _points(bone: Any, armature: Any) -> Iterator[Vector]:
    """Yield points of a bone in the world: on the edges of its shape, or between head and tail."""
    shape = bone.custom_shape
    if shape is None:
        for step in range(_STEPS + 1):
            yield armature.matrix_world @ bone.head.lerp(bone.tail, step / _STEPS)
        return
    size = bone.custom_shape_scale_xyz * (bone.length if bone.use_custom_shape_bone_size else 1.0)
    own = Matrix.LocRotScale(
        bone.custom_shape_translation, bone.custom_shape_rotation_euler.to_quaternion(), size
    )
    holder = bone.custom_shape_transform or bone
    matrix = armature.matrix_world @ holder.matrix @ own
    vertices = [matrix @ vertex.co for vertex in shape.data.vertices]
    for edge in shape.data.edges:
        start, end = (vertices[number] for number in edge.vertices)
        for step in range(_STEPS):
            yield start.lerp(end, step / _STEPS)


def frame(tick: float, height: int) -> Place | None:
    """Return the position on the screen of a frame in the timeline, below its numbers."""
    area = next(area for area in _main().screen.areas if area.ui_type == "TIMELINE")
    region: Any = next(region for region in area.regions if region.type == "WINDOW")
    x, _ = region.view2d.view_to_region(tick, 0, clip=False)
    if not 0 <= x < region.width:
        return None
    return _main().x + region.x + x, height - (_main().y + region.y + region.height)


def nodes(height: int) -> list[dict[str, Any]]:
    """Return the nodes of the largest node editor, of any window, as rectangles on the screen."""
    areas = [
        (window, area)
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
        if area.type == "NODE_EDITOR"
    ]
    if not areas:
        return []
    window, area = max(areas, key=lambda each: each[1].width * each[1].height)
    region: Any = next(region for region in area.regions if region.type == "WINDOW")
    space: Any = area.spaces.active
    found = []
    for node in space.node_tree.nodes if space.node_tree is not None else ():
        x, y = _place_of(node)
        scale = bpy.context.preferences.system.ui_scale
        wide, high = node.dimensions
        left, top = region.view2d.view_to_region(x * scale, y * scale, clip=False)
        right, bottom = region.view2d.view_to_region(x * scale + wide, y * scale - high, clip=False)
        found.append(
            {
                "kind": node.bl_idname,
                "label": node.draw_label() if hasattr(node, "draw_label") else node.label,
                "number": getattr(node, "number", -1),
                "outputs": [socket.name for socket in node.outputs],
                "selected": node.select,
                "x": window.x + region.x + left,
                "y": height - (window.y + region.y + top),
                "width": right - left,
                "height": top - bottom,
            }
        )
    return found


def _place_of(node: Any) -> tuple[float, float]:
    """Return the place of a node in its tree, which is relative to its frame."""
    x, y = node.location
    parent = node.parent
    while parent is not None:
        x, y = x + parent.location.x, y + parent.location.y
        parent = parent.parent
    return x, y
