"""Boxes of key frames, in which the game looks for what Lara touches: those of the file, and users' edits.

Both are stored on actions, so that the viewport can show them without decoding the level. Exports write
edits. Other key frames keep the box of the file as long as they have the pose of the file, and else get the
box around the meshes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from .....formats.base import T
from .....formats.levels.models import enclosing_box
from ....core.reporting.report import Report
from ....core.space import Space
from ....core.subjects import Kind
from ....mesh.blender_mesh import vertices_of
from .ranges import first_frame, last_frame

_IMPORTED, _EDITED = "tr_boxes", "tr_edited_boxes"
_COLUMNS = 7  # frame; min x, max x, min y, max y, min z, max z in units of the file
Box = tuple[int, ...]


def store_boxes(action: Action, boxes: NDArray[np.integer], rate: int) -> None:
    """Store the boxes of the file, (k, 6), of key frames at a rate in ticks."""
    frames = np.arange(len(boxes))[:, None] * rate
    _write(action, _IMPORTED, np.concatenate([frames, boxes], axis=1))


def _write(action: Any, name: str, rows: NDArray[np.integer]) -> None:
    if len(rows):
        action[name] = rows.astype(np.int32).ravel().tolist()
    elif name in action:
        del action[name]


def _read(action: Any, name: str) -> dict[int, Box]:
    stored = action.get(name)
    if getattr(stored, "typecode", "") != "i" or len(stored) % _COLUMNS:
        return {}  # absent, or damaged
    rows = np.array(stored, np.int64).reshape(-1, _COLUMNS).tolist()
    return {frame: tuple(box) for frame, *box in rows}


def edited_boxes(action: Action) -> dict[int, Box]:
    """Return the boxes that users have set, by the frame of the key frame."""
    return _read(action, _EDITED)


def edit_boxes(action: Action, boxes: dict[int, Box]) -> None:
    """Set boxes of key frames by their frames; without any, all edits are removed."""
    replace_boxes(action, {**edited_boxes(action), **boxes} if boxes else {})


def known_boxes(action: Action) -> dict[int, Box]:
    """Return the boxes of key frames by their frames: those of the file, and the users' in their place."""
    return {**_read(action, _IMPORTED), **edited_boxes(action)}


def replace_boxes(action: Any, boxes: dict[int, Box], *, is_new: bool = False) -> None:
    """Replace all boxes that users have set, for tools that move key frames together with their boxes.

    A new animation, which is no longer that of the file, has no other boxes.
    """
    if is_new and _IMPORTED in action:
        del action[_IMPORTED]
    table = [(frame, *box) for frame, box in sorted(boxes.items())]
    _write(action, _EDITED, np.array(table, np.int64).reshape(-1, _COLUMNS))


def key_frames(action: Action) -> list[int]:
    """Return the frames of an action's key frames in the game."""
    rate = max(action.tomb_raider.frame_rate, 1)
    start, end = first_frame(action), last_frame(action)
    count = -(-max(end - start, 0) // rate) + 1
    return [start + number * rate for number in range(count)]


def key_frame_at(action: Action, frame: float) -> int:
    """Return the frame of the key frame at or before a frame, or else of the first one."""
    frames = key_frames(action)
    return max((each for each in frames if each <= frame), default=frames[0])


def box_at(action: Action, frame: float) -> Box | None:
    """Return the box of the key frame at or before a frame; None if an export computes it."""
    key = key_frame_at(action, frame)
    return edited_boxes(action).get(key) or _read(action, _IMPORTED).get(key)


def apply_edits(action: Action, times: NDArray[np.float64], boxes: NDArray[np.int64], report: Report) -> None:
    """Put edited boxes in place of others, (k, 6), of key frames at some times."""
    edits = edited_boxes(action)
    if not edits:
        return
    rows = {round(time): row for row, time in enumerate(times.tolist())}
    for frame, box in edits.items():
        if frame in rows:
            boxes[rows[frame]] = box
    missing = sorted(edits.keys() - rows.keys())
    if missing:
        text = T("its box at frame {frame} is not exported, since there is no key frame", frame=missing[0])
        report.warn(action.name, T("{text}: fit its boxes again", text=text))


def fit_boxes(scene: Scene, armature: Object, action: Action, frames: Iterable[int], space: Space) -> int:
    """Set the boxes of key frames to those around a model's meshes as Blender shows them.

    The armature shows the action. Returns the number of boxes that changed.

    Raises:
        ExportError: if a vertex is infinitely far away.
    """
    import bpy

    before, subframe = scene.frame_current, scene.frame_subframe
    parts = [each for each in armature.children if each.tomb_raider.kind == Kind.MODEL_MESH]
    fitted: dict[int, Box] = {}
    changed = 0
    try:
        for frame in frames:
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            evaluated: Any = armature.evaluated_get(graph)
            to_model = np.array(evaluated.matrix_world.inverted())
            points = []
            for part in parts:
                evaluated_part: Any = part.evaluated_get(graph)
                matrix = to_model @ np.array(evaluated_part.matrix_world)
                points.append(vertices_of(evaluated_part.data) @ matrix[:3, :3].T + matrix[:3, 3])
            all_points = np.concatenate(points) if points else np.zeros((0, 3))
            box = enclosing_box(space.to_file(all_points, armature.name, "a vertex"))
            changed += box != box_at(action, frame)
            fitted[frame] = box
    finally:
        scene.frame_set(before, subframe=subframe)
    if fitted:
        edit_boxes(action, fitted)
    return changed
