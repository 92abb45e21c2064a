"""The faces of a mesh from Blender, sorted into the file's lists, parked ones put back at their places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats import ExportError
from ..textures.faces import FaceResolver, Faces
from ..textures.keys import MATERIAL_KEY
from .arrays import EFFECTS, LAYER, TEXTURE, VERTEX, MeshArrays

QUADS, TRIANGLES, COLORED_QUADS, COLORED_TRIANGLES = range(4)

# The file counts them in 16 bits; meshes in 15, which their encoder checks.
_MOST = 0xFFFF


@dataclass(eq=False)
class FaceList:
    """Faces in Blender's order, and what the file needs to know of each.

    Attributes:
        faces: what the resolver gives words to.
        corners: (n, 4) int32 vertices; the fourth of triangles is that of their first corner.
        layer: (n,) int32, TR5 rooms.
        parked: faces that Blender could not hold, their corners renumbered: see ``MeshArrays.parked``.
        lost: how many such faces are gone with their vertices.
        parked_faces: what the resolver gives words to for them, where they need new ones.
    """

    faces: Faces
    corners: NDArray[np.int32]
    layer: NDArray[np.int32]
    parked: NDArray[np.void]
    lost: int = 0
    parked_faces: Faces | None = None

    def note(self, resolver: FaceResolver) -> None:
        """Have the resolver find the words of all faces.

        Parked faces keep theirs, but where the list that words index is made anew they need new ones.
        """
        if self.lost:
            text = f"{self.lost} faces that Blender could not show are gone with their vertices"
            resolver.context.report.warn(self.faces.subject, text)
        resolver.add(self.faces)
        textured = self.parked[self.parked["kind"] <= TRIANGLES]
        if not resolver.context.rebuild or not len(textured):
            return
        count = len(textured)
        uv, keys = np.zeros((count, 4, 2), np.float32), np.zeros(count, MATERIAL_KEY)
        triangle = textured["kind"] == TRIANGLES
        for corners, rows in ((4, ~triangle), (3, triangle)):
            effects = textured["effects"][rows] if self.faces.has_effects else None
            shown = resolver.view.faces(textured["texture"][rows], corners, self.faces.mask, effects)
            uv[rows, :corners], keys[rows] = shown
        self.parked_faces = replace(
            self.faces,
            uv=uv,
            triangle=triangle,
            keys=keys,
            hints=textured["texture"].astype(np.int64),
            effects=textured["effects"].astype(np.int64),
        )
        resolver.add(self.parked_faces)

    def _parked(self, kind: int) -> NDArray[np.void]:
        """Return the parked faces of one list, in the order of their places."""
        parked = self.parked.copy()
        if self.parked_faces is not None:
            parked["texture"][parked["kind"] <= TRIANGLES] = self.parked_faces.words
        parked = parked[parked["kind"] == kind]
        return parked[np.argsort(parked["place"], kind="stable")]

    def rows(self, kind: int) -> NDArray[np.int64]:
        """Return the faces of one of the file's lists."""
        triangle = kind in (TRIANGLES, COLORED_TRIANGLES)
        colored = kind in (COLORED_QUADS, COLORED_TRIANGLES)
        return np.flatnonzero((self.faces.triangle == triangle) & (self.faces.colored == colored))

    def column(self, kind: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return corners (m, 3 or 4), words, effects and layers of one list, parked faces among them."""
        rows = self.rows(kind)
        count = 3 if kind in (TRIANGLES, COLORED_TRIANGLES) else 4
        # New textures of TR4 and TR5 may want a face to begin with another corner.
        order = (np.arange(count) + self.faces.rotation[rows, None]) % count
        corners = np.take_along_axis(self.corners[rows, :count], order, axis=1)
        words, effects, layer = self.faces.words[rows], self.faces.effects[rows], self.layer[rows]
        parked = self._parked(kind)
        if not len(parked):
            return corners, words, effects, layer
        # A parked face's place counts the parked ones before it; insertion counts only what is there.
        places = np.minimum(parked["place"] - np.arange(len(parked)), len(rows))
        return (
            np.insert(corners, places, parked["corners"][:, :count], axis=0),
            np.insert(words, places, parked["texture"]),
            np.insert(effects, places, parked["effects"]),
            np.insert(layer, places, parked["layer"]),
        )

    def records(self, *dtypes: np.dtype) -> list[NDArray[Any]]:
        """Return the file's lists as records, one per type given: quads, triangles, then coloured ones."""
        out = []
        for kind, dtype in enumerate(dtypes):
            corners, words, effects, _ = self.column(kind)
            array = np.zeros(len(corners), dtype)
            array["vertices"], array["texture"] = corners, words
            if "effects" in (dtype.names or ()):
                array["effects"] = effects
            out.append(array)
        return out


def split_faces(
    subject: str, arrays: MeshArrays, *, mask: int, room: bool, has_effects: bool, has_colors: bool
) -> FaceList:
    """Prepare the faces of a mesh from Blender for the file.

    Raises:
        ExportError: where there are more vertices or faces than the file can count, or colours that the
            game does not have.
    """
    count, vertices = len(arrays.sizes), len(arrays.positions)
    if vertices > _MOST:
        raise ExportError(subject, "too many vertices", count=vertices, limit=_MOST)
    for corners, kind in ((4, "quads"), (3, "triangles")):
        amount = int((arrays.sizes == corners).sum())
        if amount > _MOST:
            raise ExportError(subject, f"too many {kind}", count=amount, limit=_MOST)
    triangle = arrays.sizes == 3
    # Back to the way round in which the file lists corners.
    place = arrays.starts[:, None] + np.where(triangle[:, None], [0, 2, 1, 0], [0, 3, 2, 1])
    place = place.astype(np.int64)
    nothing = np.zeros(count, np.int64)
    hints = arrays.face[TEXTURE].astype(np.int64) if TEXTURE in arrays.face else nothing - 1
    faces = Faces(
        subject=subject,
        uv=arrays.uvs[place] if count else np.zeros((0, 4, 2), np.float32),
        triangle=triangle,
        keys=arrays.keys,
        hints=hints,
        effects=arrays.face[EFFECTS].astype(np.int64) if EFFECTS in arrays.face else nothing.copy(),
        own_materials=arrays.own_materials,
        room=room,
        mask=mask,
        has_effects=has_effects,
    )
    if not has_colors and faces.colored.any():
        raise ExportError(subject, "faces of one palette color", count=int(faces.colored.sum()), limit=0)
    parked = _renumbered(arrays)
    return FaceList(
        faces=faces,
        corners=arrays.corners[place] if count else np.zeros((0, 4), np.int32),
        layer=arrays.face.get(LAYER, nothing.astype(np.int32)),
        parked=parked,
        lost=len(arrays.parked) - len(parked),
    )


def _renumbered(arrays: MeshArrays) -> NDArray[np.void]:
    """Give parked faces the numbers that their vertices have now; those that lost one are gone with it."""
    parked = arrays.parked
    if not len(parked) or VERTEX not in arrays.point:
        return parked[:0]
    old = arrays.point[VERTEX]
    corners = parked["corners"]
    # The first vertex that carries a number owns it: copies made by extruding carry it, too.
    order = np.argsort(old, kind="stable")
    at = np.searchsorted(old[order], corners)
    at = np.minimum(at, max(len(order) - 1, 0))
    found = old[order][at] == corners if len(order) else np.zeros(corners.shape, bool)
    out = parked.copy()
    out["corners"] = np.where(corners >= 0, order[at] if len(order) else corners, -1)
    return out[(found | (corners < 0)).all(axis=1)]
