"""Faces of a mesh in the form that the exporter resolves, including unrepresentable ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T, as_message
from ....formats.levels.textures import mesh_texture_mask, room_texture_mask
from ...core.reporting.report import Report
from ...core.space import checked
from ..meshes.arrays import EFFECTS, LAYER, TEXTURE, VERTEX, MeshArrays
from ..textures.keys import blank_keys, join_keys
from .faces import COLORED_QUADS, COLORED_TRIANGLES, QUADS, TRIANGLES, TexturedFaces
from .view import TextureView

# Files have 16 bits for the number; meshes have 15, which their encoder checks.
_MOST = 0xFFFF


def mesh_faces(
    subject: str, arrays: MeshArrays, textures: TextureView, report: Report, *, room: bool
) -> TexturedFaces:
    """Return the faces of a mesh or room for the :class:`~.faces.FaceResolver`; warn of lost ones.

    Raises:
        ExportError: where there are too many vertices or faces, or palette colors that the game does not
            have, or a coordinate is not finite.
    """
    _check(subject, arrays)
    game, count = textures.game, len(arrays.sizes)
    triangle = arrays.sizes == 3
    # From the winding of Blender to that of the file.
    corner = arrays.starts[:, None] + np.where(triangle[:, None], [0, 2, 1, 0], [0, 3, 2, 1])
    zeros = np.zeros(count, np.int32)
    faces = TexturedFaces(
        subject=subject,
        corners=arrays.corners[corner] if count else np.zeros((0, 4), np.int32),
        uv=arrays.uvs[corner] if count else np.zeros((0, 4, 2), np.float32),
        triangle=triangle,
        keys=arrays.keys,
        hints=arrays.face.get(TEXTURE, zeros - 1).astype(np.int64),
        effects=arrays.face.get(EFFECTS, zeros).astype(np.int64),
        layer=arrays.face.get(LAYER, zeros),
        place=zeros - 1,
        own_materials=arrays.own_materials,
        room=room,
        mask=room_texture_mask(game) if room else mesh_texture_mask(game),
        has_effects=not room and game.traits.has_effects,
    )
    if (room or not game.traits.has_colored_faces) and faces.colored.any():
        raise ExportError(subject, T("faces of one palette color"), count=int(faces.colored.sum()), limit=0)
    parked = _renumbered(arrays)
    lost_count = len(arrays.parked) - len(parked)
    if lost_count:
        text = T("{lost} faces that Blender could not show were removed with their vertices", lost=lost_count)
        report.warn(subject, text)
    return _with_parked(faces, parked, textures, turned=arrays.parked_turned) if len(parked) else faces


def _check(subject: str, arrays: MeshArrays) -> None:
    checked(arrays.positions, subject, "a vertex")
    checked(arrays.uvs, subject, T("a corner of its UV map"))
    vertices = len(arrays.positions)
    if vertices > _MOST:
        raise ExportError(subject, T("too many vertices"), count=vertices, limit=_MOST)
    for corners, kind in ((4, "quads"), (3, "triangles")):
        count = int((arrays.sizes == corners).sum())
        if count > _MOST:
            raise ExportError(subject, T("too many {what}", what=as_message(kind)), count=count, limit=_MOST)


def _with_parked(
    faces: TexturedFaces, parked: NDArray[np.void], textures: TextureView, *, turned: bool
) -> TexturedFaces:
    """Append unrepresentable faces, of ``PARKED_FACE``, with the textures of their words."""
    corners = parked["corners"].copy()
    kinds, words = parked["kind"], parked["texture"]
    uv, keys = np.zeros((len(parked), 4, 2), np.float32), blank_keys(len(parked), "PALETTE")
    for kind, count in ((QUADS, 4), (TRIANGLES, 3)):
        rows = np.flatnonzero(kinds == kind)
        effects = parked["effects"][rows] if faces.has_effects else None
        uv[rows, :count], keys[rows] = textures.faces(words[rows], count, faces.mask, effects)
    for kind, count in ((COLORED_QUADS, 4), (COLORED_TRIANGLES, 3)):
        rows = np.flatnonzero(kinds == kind)
        uv[rows, :count], keys[rows] = textures.colored_faces(words[rows], count)
    if turned:
        for rows, order in ((kinds % 2 == QUADS, [0, 3, 2, 1]), (kinds % 2 == TRIANGLES, [0, 2, 1, 3])):
            corners[rows], uv[rows] = corners[rows][:, order], uv[rows][:, order]
    return replace(
        faces,
        corners=np.concatenate([faces.corners, corners]),
        uv=np.concatenate([faces.uv, uv]),
        triangle=np.concatenate([faces.triangle, (kinds == TRIANGLES) | (kinds == COLORED_TRIANGLES)]),
        keys=join_keys([faces.keys, keys]),
        hints=np.concatenate([faces.hints, words]),
        effects=np.concatenate([faces.effects, parked["effects"]]),
        layer=np.concatenate([faces.layer, parked["layer"]]),
        place=np.concatenate([faces.place, parked["place"]]),
        parked_turned=turned,
    )


def _renumbered(arrays: MeshArrays) -> NDArray[np.void]:
    """Return the unrepresentable faces with present vertex numbers, without those that lost a vertex."""
    parked = arrays.parked
    if not len(parked) or VERTEX not in arrays.point:
        return parked[:0]
    old = arrays.point[VERTEX]
    corners = parked["corners"]
    # The first vertex with a number owns it: extruding copies the number.
    order = np.argsort(old, kind="stable")
    positions = np.minimum(np.searchsorted(old[order], corners), max(len(order) - 1, 0))
    exists = old[order][positions] == corners if len(order) else np.zeros(corners.shape, bool)
    result = parked.copy()
    result["corners"] = np.where(corners >= 0, order[positions] if len(order) else corners, -1)
    return result[(exists | (corners < 0)).all(axis=1)]
