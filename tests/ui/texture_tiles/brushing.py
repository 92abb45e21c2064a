"""Strokes of the texture brush in tests: its settings, rays on faces, and the operator with events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.ui.texture_tiles import brush
from tests.scene.authoring.texture_tiles.tiled_rooms import quads

from ..user_actions import in_view, select

Rays = list[tuple[Vector, Vector]]


def page_image(root: Collection, page: int = 0) -> Any:
    """Return the image of a texture page of a level."""
    entries = root.tomb_raider.images
    return next(each.image for each in entries if (each.kind, each.page) == ("PAGE", page))


def set_tile(image: Any, area: Sequence[float], **settings: Any) -> Any:
    """Make a tile the active one, with the north as up on floors; return the settings of the brush."""
    found = bpy.context.scene.tomb_raider.texturing
    found.upright, found.tile.image, found.tile.area = "COMPASS", image, area
    for name, value in settings.items():
        setattr(found.tile, name, value)
    return found


def rays_on(obj: Any, faces: Iterable[int], *, behind: bool = False) -> Rays:
    """Return rays to the middles of faces of a mesh outside edit mode, from their front or behind them."""
    found = []
    matrix = obj.matrix_world
    for face in faces:
        polygon = obj.data.polygons[face]
        middle, normal = matrix @ polygon.center, (matrix.to_3x3() @ polygon.normal).normalized()
        normal = -normal if behind else normal
        found.append((middle + normal * 0.02, -normal))
    return found


@contextmanager
def strokes(monkeypatch: pytest.MonkeyPatch, moves: Sequence[Rays]) -> Iterator[Callable[[], set[str]]]:
    """Yield a function that does a stroke in a 3D view:

    a click, moves of the mouse over rays, and the release of the button. Without a window, Blender has no
    events for operators, so one with the same options passes them.
    """
    left = list(moves)

    def execute(self: Any, context: Any) -> Any:
        outcome = self.begin(context, _event("LEFTMOUSE", "PRESS"))
        while outcome == {"RUNNING_MODAL"} and left:
            outcome = self.modal(context, _event("MOUSEMOVE", "NOTHING"))
        if outcome == {"RUNNING_MODAL"}:
            outcome = self.modal(context, _event("LEFTMOUSE", "RELEASE"))
        return outcome

    # Not a subclass: when one is unregistered, Blender loses the registered class that it is made from.
    tool = brush.TOMB_RAIDER_OT_paint_tile
    apart = {"bl_rna", "__dict__", "__weakref__"}
    own = {name: value for name, value in vars(tool).items() if name not in apart}
    own |= {"bl_idname": "tomb_raider.test_stroke", "execute": execute, "_is_modal": True}
    made: Any = type("TOMB_RAIDER_OT_test_stroke", tool.__bases__, own)
    bpy.utils.register_class(made)
    try:
        with monkeypatch.context() as patch, in_view():
            patch.setattr(brush, "rays_along", lambda *_: left.pop(0))
            yield lambda: bpy.ops.tomb_raider.test_stroke("EXEC_DEFAULT", True)
    finally:
        bpy.utils.unregister_class(made)


def _event(kind: str, value: str) -> Any:
    return SimpleNamespace(type=kind, value=value, mouse_region_x=0, mouse_region_y=0)


def edit(obj: Any, faces: Iterable[int] = ()) -> None:
    """Select faces of an object in edit mode, the first of them active."""
    chosen = list(faces)
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for face in chosen:
        obj.data.polygons[face].select = True
    if chosen:
        obj.data.polygons.active = chosen[0]
    bpy.ops.object.mode_set(mode="EDIT")


def leave() -> None:
    """Leave edit mode."""
    bpy.ops.object.mode_set(mode="OBJECT")


def places_of(obj: Any, face: int) -> NDArray[np.int64]:
    """Return where the corners of a quad are, from its lower left as its front shows it, (4, 2) of 0 and 1.

    Up is the north on floors, the south on ceilings, and up elsewhere.
    """
    polygon, matrix = obj.data.polygons[face], np.array(obj.matrix_world)
    points = np.array([obj.data.vertices[vertex].co[:] for vertex in polygon.vertices])
    points = points @ matrix[:3, :3].T
    normal = matrix[:3, :3] @ np.array(polygon.normal)
    normal /= np.linalg.norm(normal)
    up = np.array([0.0, np.sign(normal[2]), 0.0]) if abs(normal[2]) > 0.999 else np.array([0.0, 0.0, 1.0])
    up -= normal * (up @ normal)
    right = np.cross(up, normal)
    away = points - points.mean(axis=0)
    return np.stack([away @ right > 0, away @ up > 0], axis=1).astype(np.int64)


def corner_texels(level: Level, obj: Any, face: int) -> NDArray[np.uint8]:
    """Return the texels that a game shows at the corners of a quad of the first room, (4, 4).

    The corners are in the order of Blender, which the file need not have.
    """
    faces = decode_faces(level.game, level.rooms[0])[0]
    quad = quads(obj.data).index(face)
    texture = level.object_textures[int(faces.texture[quad]) & room_texture_mask(level.game)]
    raw = texture["uv"].astype(int)
    middle = (raw.min(axis=0) + raw.max(axis=0)) / 2
    # The corners of textures are at edges of texels, and may be moved inwards by less than one.
    texel = np.where(raw < middle, raw + 127 >> 8, (raw + 128 >> 8) - 1)
    order = [faces.corners[quad].tolist().index(each) for each in obj.data.polygons[face].vertices]
    page = decode_pages(pages_of(level))[int(texture["page"]) & 0x7FFF]
    return page[texel[order, 1], texel[order, 0]]
