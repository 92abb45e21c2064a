"""Textures of the sides of extruded faces.

Blender gives both ends of such a side the UVs of the edge from which it was extruded, so that it shows one
line of texels, which is often the dark border of a tile. A side becomes the next repetition of the tile at
that edge instead, with texels of the same size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bmesh
from bmesh.types import BMesh, BMFace, BMLoop
from bpy.types import Mesh
from mathutils import Vector

_SAME = 1e-6  # between UVs
_NUMBER = "tr_vertex"


class _Side:
    """A quad between an edge and its extruded copy, of which both have the same UVs."""

    def __init__(self, face: BMFace, first: int) -> None:
        loops = [*face.loops, *face.loops][first : first + 4]
        self.face = face
        #: the loops at both ends of the edge and of its copy, in the direction of the face.
        self.pairs = (loops[0], loops[1]), (loops[2], loops[3])


def texture_extruded(mesh: Mesh, *, is_new: bool) -> bool:
    """Texture the sides of extruded faces of a room. Return whether there are any.

    Args:
        is_new: whether the room is not in the imported file. Otherwise only sides with copied vertices are
            textured, as faces of the file may have such UVs, too.
    """
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        result = _texture(edited, is_new=is_new)
        if result:
            bmesh.update_edit_mesh(mesh)
        return result
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        result = _texture(edited, is_new=is_new)
        if result:
            edited.to_mesh(mesh)
            mesh.update()
    finally:
        edited.free()
    return result


def _texture(edited: BMesh, *, is_new: bool) -> bool:
    layer: Any = edited.loops.layers.uv.active
    number: Any = edited.verts.layers.int.get(_NUMBER)
    if layer is None or not (is_new or number is not None):
        return False
    waiting = [side for face in edited.faces if (side := _side_of(face, layer)) is not None]
    if not is_new:
        waiting = [side for side in waiting if len({vert[number] for vert in side.face.verts}) < 4]
    tiles: dict[BMFace, _Tile] = {}
    done = 0
    while waiting:
        open_sides = {side.face for side in waiting}
        later = [side for side in waiting if not _texture_side(side, layer, open_sides, tiles)]
        if len(later) == len(waiting):
            break
        done += len(waiting) - len(later)
        waiting = later
    return done > 0


class _Tile(NamedTuple):
    """The whole tile of a face, of which that may show a part: UVs by loop, and its depth in the scene."""

    uvs: dict[BMLoop, Vector]
    depth: float


def _side_of(face: BMFace, layer: Any) -> _Side | None:
    """Return a face as a side of an extruded one, or None if it is none."""
    if len(face.loops) != 4:
        return None
    uvs = [loop[layer].uv for loop in face.loops]
    for first in (0, 1):
        start, end, end_copy, start_copy = (uvs[(first + corner) % 4] for corner in range(4))
        is_line = (start - start_copy).length < _SAME and (end - end_copy).length < _SAME
        if is_line and (start - end).length > _SAME and face.calc_area() > 0:
            return _Side(face, first)
    return None


def _texture_side(side: _Side, layer: Any, waiting: set[BMFace], tiles: dict[BMFace, _Tile]) -> bool:
    """Repeat the tile of a face at one edge of a side. Return whether there is one."""
    for near, far in (side.pairs, side.pairs[::-1]):
        for loop in near[0].link_loops:
            tile = None if loop.face in waiting else _tile_at(loop, near, layer, tiles)
            if tile is None:
                continue
            # Faces go opposite ways along their common edge.
            there, here = loop, loop.link_loop_next
            whole = {
                near[0]: tile.uvs[here.link_loop_next],
                near[1]: tile.uvs[there.link_loop_prev],
                far[0]: tile.uvs[there],
                far[1]: tile.uvs[here],
            }
            tiles[side.face] = _Tile(whole, tile.depth)
            for start, end in ((near[0], far[1]), (near[1], far[0])):
                share = min((end.vert.co - start.vert.co).length / tile.depth, 1.0)
                start[layer].uv = whole[start]
                end[layer].uv = whole[start].lerp(whole[end], share)
            return True
    return False


def _tile_at(
    loop: BMLoop, near: tuple[BMLoop, BMLoop], layer: Any, tiles: dict[BMFace, _Tile]
) -> _Tile | None:
    """Return the tile of a loop's face, if a side was extruded from its edge, or from that of such a side."""
    if loop.vert is not near[1].vert or len(loop.face.loops) != 4:
        return None
    if loop.face in tiles:
        return tiles[loop.face]
    uvs = {each: each[layer].uv.copy() for each in loop.face.loops}
    depth = (loop.link_loop_prev.vert.co - loop.vert.co).length
    ends = (uvs[loop.link_loop_next] - near[0][layer].uv, uvs[loop] - near[1][layer].uv)
    return _Tile(uvs, depth) if depth > 0 and max(each.length for each in ends) < _SAME else None
