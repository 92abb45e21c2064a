"""Drawing of a room's mesh from its sectors, repeated when these change."""

from __future__ import annotations

from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeGuard

import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T, distinct_rows
from ....formats.levels.collision import SIDE_STEPS
from ...core.blender.color import bytes_to_linear
from ...core.blender.material_slots import shown_materials
from ...core.collision_faces import PART
from ...core.membership import collision_of, members, members_of
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_all, readable, rewrite_mesh
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join, transformed
from ...subjects.collision.build import ROOM_ATTRIBUTES
from ...subjects.collision.edit import CollisionEdit
from ...subjects.collision.mesh import read_faces
from ...subjects.meshes.arrays import COLOR, LAYER, VERTEX
from .adjoining import ON_GRID, with_other_rooms
from .kept import KEY, LostFaces, MatchedFaces, OldFaces, match_faces, nearest_vertices
from .looks import RoleTexture, UsedPieces, choose_pieces, piece_of, set_piece, uv_name, uvs_of
from .shape import DrawnFaces, DrawnRole, draw_sectors, parts_of

MESH_FOLLOWS = "MESH"
_NEUTRAL = (128, 128, 128, 255)  # light that leaves textures unchanged
_FLAT = "sharp_face"
_THIN = 0.01  # sectors: narrower faces are upright


@dataclass(frozen=True)
class Drawn:
    """The result of drawing a room."""

    faces: int  #: the number of faces.
    kept: int  #: the number of faces with kept manual textures.
    removed: int  #: the number of old faces that no longer exist.


def draw_room(
    root: Collection,
    room: Object,
    *,
    keep_others: bool = False,
    keep_textures: bool = True,
    cells: NDArray[np.int64] | None = None,
) -> Drawn:
    """Draw the mesh of a room from its sectors, which it follows from now on (*Mesh Follows Sectors*).

    Faces that match old ones keep manual textures, colors and attributes. A room of which only some sectors
    are drawn follows what it did before.

    Args:
        keep_others: keep faces that match no drawn ones. In a room that was drawn before, by a project's
            editor or here, faces added to it are always kept.
        cells: (n, 2) the only sectors to draw, along x and z, which may be outside of the room. Those that
            share a face with them are drawn, too.

    Raises:
        ExportError: if the collision is missing or invalid, or the mesh has shape keys.
    """
    from .editor import editor_faces  # late, as in `original.compiled_project`

    obj = collision_of(room)
    if obj is None or not isinstance(obj.data, Mesh):
        raise ExportError(room.name, T("it has no collision mesh: use Add Collision"))
    if not isinstance(room.data, Mesh):
        raise ExportError(room.name, T("a room must be a mesh"))
    if room.data.shape_keys is not None:
        raise ExportError(room.name, T("its mesh has shape keys: apply them first"))
    space, game = Space.of(root), Game[root.tomb_raider.game]
    edit = CollisionEdit(obj, game, space)
    drawn = editor_faces(root, room, edit)
    if drawn is None:
        sectors, beyond = with_other_rooms(edit)
        drawn = draw_sectors(sectors, edit.grid, beyond)
        if not len(drawn):
            raise ExportError(room.name, T("all of its sectors are walls"))
    if room.data.users > 1:
        room.data = room.data.copy()
    drawing = _Drawing(root, room, obj, space, drawn)
    if cells is not None:
        return drawing.draw_cells(set(map(tuple, cells.tolist())))
    result = drawing.draw(keep_others, keep_textures)
    room.tomb_raider.room.mesh_and_sectors = MESH_FOLLOWS
    obj.tomb_raider.collision.drawing.digest = _digest(edit.faces)
    return result


def draw_changed(
    root: Collection, shaped: Container[int] = (), beside: Iterable[Object] = ()
) -> list[Object]:
    """Draw the rooms of a level that follow their collision, if it has changed; return them.

    Args:
        shaped: session uids of collision meshes whose rooms :func:`draw_shaped` has drawn: their neighbors
            are drawn now.
        beside: other rooms whose sectors have changed: their neighbors are drawn, too.
    """
    objects = members_of(root, Kind.COLLISION)
    drawn = [room for obj in objects if (room := _draw_if_changed(root, obj)) is not None]
    shaped_rooms = [obj.parent for obj in objects if obj.parent is not None and obj.session_uid in shaped]
    for neighbor in _neighbors([*drawn, *shaped_rooms, *beside]):
        with suppress(ExportError):
            draw_room(root, neighbor)
    return drawn


def draw_shaped(roots: Iterable[Collection], objects: Iterable[Object]) -> list[Object]:
    """Draw the rooms of collision meshes while these are in edit mode; return them.

    Their neighbors wait until edit mode ends, for :func:`draw_changed`. So do rooms that are in edit mode
    themselves: replacing vertices during a transform operator crashes Blender.
    """
    root_of = {obj: root for root in roots for obj in members(root)}
    drawn = []
    for obj in objects:
        data = None if obj.parent is None else obj.parent.data
        if obj in root_of and isinstance(data, Mesh) and not data.is_editmode:
            room = _draw_if_changed(root_of[obj], obj)
            drawn += [] if room is None else [room]
    return drawn


def _draw_if_changed(root: Collection, obj: Object) -> Object | None:
    """Draw the room of a collision mesh if it follows that and it has changed; return the room or None."""
    room, settings = obj.parent, obj.tomb_raider.collision.drawing
    if not _is_drawn(room) or not isinstance(obj.data, Mesh):
        return None
    if not obj.is_editable or not room.is_editable or settings.digest == _digest_of(obj.data):
        return None
    with suppress(ExportError):  # the export of the collision reports it
        draw_room(root, room)
        return room
    return None


def follow(root: Collection, obj: Object) -> bool:
    """Draw the room of a changed collision mesh, if it follows that. Return whether it does.

    Raises:
        ExportError: if it cannot be drawn.
    """
    room = obj.parent
    if room is None or not _is_drawn(room):
        return False
    draw_room(root, room)
    for neighbor in _neighbors([room]):
        with suppress(ExportError):
            draw_room(root, neighbor)
    return True


def _neighbors(rooms: Iterable[Object]) -> list[Object]:
    """Return other drawn rooms that adjoin some rooms, as their walls may change."""
    result: dict[Object, None] = {}
    given = set(rooms)
    for room in given:
        obj = collision_of(room)
        for entry in obj.tomb_raider.collision.rooms if obj is not None else ():
            if _is_drawn(entry.room) and collision_of(entry.room) is not None and entry.room not in given:
                result[entry.room] = None
    return list(result)


def _is_drawn(room: Object | None) -> TypeGuard[Object]:
    return room is not None and room.tomb_raider.room.mesh_and_sectors == MESH_FOLLOWS


def _digest_of(mesh: Mesh) -> str:
    with readable(mesh) as plain:
        return _digest(read_faces(plain))


def _digest(faces: PolyMesh) -> str:
    """Return a digest of a collision's shape."""
    hashed = blake2b(digest_size=16)
    for values in (
        faces.positions,
        faces.corners,
        faces.starts,
        *(faces.face[n] for n in (PART, *ROOM_ATTRIBUTES)),
    ):
        hashed.update(np.ascontiguousarray(values).tobytes())
    return hashed.hexdigest()


# --- The mesh ----------------------------------------


class _Drawing:
    """The drawing of one room's mesh."""

    def __init__(self, root: Collection, room: Object, obj: Object, space: Space, drawn: DrawnFaces) -> None:
        self._root, self._room, self._space, self._drawn = root, room, space, drawn
        assert isinstance(room.data, Mesh)
        self._mesh: Any = room.data
        self._settings = obj.tomb_raider.collision.drawing
        self._matrix = np.array(world_matrix(room).inverted_safe() @ world_matrix(obj), np.float64)
        self._before = self._read()
        self._was_drawn = self._recognize() or bool(self._settings.digest)
        self._materials = shown_materials(room)

    def _read(self) -> OldFaces:
        geometry = read_all(self._mesh)
        inverse = np.linalg.pinv(self._matrix)
        local = transformed(geometry.positions, inverse)
        points = self._space.to_file(local, self._room.name, "a vertex")
        keys = geometry.face.get(KEY)
        no_keys = np.zeros(len(geometry.sizes), np.int32)
        uvs = uvs_of(self._mesh, geometry)
        return OldFaces(geometry, points, uvs, no_keys if keys is None else keys.astype(np.int32))

    def _recognize(self) -> bool:
        """Give the faces that the level editor built their keys; return whether it built the room."""
        from .editor import compiled_faces  # late, as in `original.compiled_project`

        before = self._before
        built = None if KEY in before.geometry.face else compiled_faces(self._root, self._room)
        if built is not None:
            match = match_faces(before, built)
            before.keys[match[match >= 0]] = built.keys[match >= 0]
        return built is not None

    def draw(self, keep_others: bool, keep_textures: bool) -> Drawn:
        before, drawn = self._before, self._drawn
        match = match_faces(before, drawn)
        used = self._used(match)
        pieces = choose_pieces(self._root, self._room, self._settings, used)
        slots, uvs, by_hand = self._textures(match, pieces, keep_textures)
        by_hand += self._restore(match, slots, uvs, keep_textures)
        self._store(match, keep_textures)
        is_kept = np.ones(len(before.keys), bool)
        is_kept[match[match >= 0]] = False
        is_kept &= (before.keys == 0) if self._was_drawn else keep_others
        geometry = self._geometry(match, slots, uvs)
        if is_kept.any():
            geometry = join([geometry, before.geometry.take_faces(is_kept).without_loose()])
        rewrite_mesh(self._mesh, geometry)
        self._store_drawn(pieces)
        removed = len(before.keys) - int(is_kept.sum()) - len(np.unique(match[match >= 0]))
        return Drawn(len(drawn), by_hand, removed)

    def draw_cells(self, cells: set[tuple[int, ...]]) -> Drawn:
        """Replace the faces of some sectors, and of those that share a face with them."""
        before, drawn = self._before, self._drawn
        covered = _cells_of(before)
        is_over = np.zeros(len(covered), bool)
        while (
            grown := np.array([not each.isdisjoint(cells) for each in covered], bool)
        ).sum() > is_over.sum():
            is_over = grown
            cells = cells.union(*(covered[face] for face in np.flatnonzero(is_over)))
        role, side, *_ = parts_of(drawn.keys)
        is_wall = ((role == DrawnRole.WALL) | (role == DrawnRole.STEP)) & (side < len(SIDE_STEPS))
        neighbors = drawn.cells + np.array(SIDE_STEPS)[np.where(is_wall, side, 0)] * is_wall[:, None]
        is_drawn = [
            tuple(cell) in cells or tuple(next_cell) in cells
            for cell, next_cell in zip(drawn.cells.tolist(), neighbors.tolist(), strict=True)
        ]
        self._drawn = drawn = drawn.take(np.array(is_drawn, bool))
        match = match_faces(before, drawn)
        match[~is_over[match]] = -1
        pieces = choose_pieces(self._root, self._room, self._settings, self._used(match))
        slots, uvs, by_hand = self._textures(match, pieces, keep=True)
        geometry = self._geometry(match, slots, uvs)
        geometry = join([geometry, before.geometry.take_faces(~is_over).without_loose()])
        rewrite_mesh(self._mesh, geometry)
        return Drawn(len(drawn), by_hand, int(is_over.sum()) - len(np.unique(match[match >= 0])))

    def _used(self, match: NDArray[np.int64]) -> UsedPieces:
        """Return the room's textures by role; faces where steps will be drawn count for steps."""
        before = self._before
        roles = np.zeros(len(before.keys), np.int64)
        roles[match[match >= 0]] = self._drawn.roles[match >= 0]
        side = SECTOR_SIZE * self._space.scale
        return UsedPieces(before.geometry, before.uvs, roles, side)

    def _textures(
        self, match: NDArray[np.int64], pieces: dict[int, RoleTexture], keep: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], int]:
        """Return slots, (f,), and UVs, (f, 4, 2), of the drawn faces, and the number of manual textures."""
        drawn, geometry = self._drawn, self._before.geometry
        matched = MatchedFaces.of(self._before, drawn, match)
        slots, uvs = np.zeros(len(drawn), np.int32), np.zeros((len(drawn), 4, 2))
        is_manual = self._is_manual(matched, matched.old, drawn.roles[matched.new]) & keep
        for role, piece in pieces.items():
            rows = drawn.roles == role
            slots[rows], uvs[rows] = self._slot(piece.material), piece.uvs(drawn.places[rows])
        manual = matched.take(np.flatnonzero(is_manual))
        shows_page = [each is not None and each.tomb_raider.kind == "PAGE" for each in self._materials]
        pages = np.array(shows_page or [False])
        is_page = pages[geometry.face[MATERIAL_INDEX][manual.old].clip(0, len(pages) - 1)]
        if len(manual.new):
            slots[manual.new] = geometry.face[MATERIAL_INDEX][manual.old]
            uvs[manual.new] = manual.cut(drawn, is_page)
        self._corner = np.full((len(drawn), 4), -1)
        self._corner[matched.new] = matched.corner
        self._begin_as_before(matched, uvs)
        return slots, uvs, len(manual.new)

    def _begin_as_before(self, matched: MatchedFaces, uvs: NDArray[np.float64]) -> None:
        """Turn the corners of faces that are known as before, so that their stored texture still fits."""
        drawn = self._drawn
        sizes = drawn.sizes[matched.new]
        is_corner = np.arange(4) < sizes[:, None]
        is_same = np.asarray(((matched.corner >= 0) | ~is_corner).all(axis=1))
        first = (is_same[:, None] & is_corner & (matched.corner >= 0) & (matched.within == 0)).argmax(axis=1)
        order = np.where(is_corner, (np.arange(4) + first[:, None]) % sizes[:, None], np.arange(4))
        rows = matched.new
        for values in (drawn.points, drawn.places, uvs):
            values[rows] = np.take_along_axis(values[rows], order[..., None], axis=1)
        self._corner[rows] = np.take_along_axis(self._corner[rows], order, axis=1)

    def _is_manual(
        self, faces: MatchedFaces | LostFaces, old: NDArray[np.int64], roles: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Return which old faces, of the given roles, showed another texture than was drawn."""
        is_manual, slots = np.ones(len(old), bool), self._before.geometry.face[MATERIAL_INDEX][old]
        for role, setting in enumerate(self._settings.drawn, start=1):
            last = piece_of(setting)
            last_slots = [slot for slot, each in enumerate(self._materials) if each == last.material]
            is_manual &= ~(faces.shows(last.uvs(faces.places)) & np.isin(slots, last_slots) & (roles == role))
        return is_manual

    def _restore(
        self, match: NDArray[np.int64], slots: NDArray[np.int32], uvs: NDArray[np.float64], keep: bool
    ) -> int:
        """Restore stored textures of faces that exist again; return their number."""
        looks, count = self._settings.looks, 0
        new = {key: face for face, key in enumerate(self._drawn.keys.tolist()) if match[face] < 0}
        # The list has manual textures only, so it is short.
        for index in reversed(range(len(looks))):
            look = looks[index]
            face = new.get(look.face)
            if keep and face is not None and look.material is not None:
                slots[face] = self._slot(look.material)
                uvs[face] = piece_of(look).uvs(self._drawn.places[face])
                count += 1
            if not keep or face is not None:
                looks.remove(index)
        return count

    def _store(self, match: NDArray[np.int64], keep: bool) -> None:
        """Store the manual textures of faces that no longer exist."""
        before = self._before
        is_lost = before.keys > 0
        is_lost[match[match >= 0]] = False
        if not keep or not is_lost.any():
            return
        lost = LostFaces(before, np.flatnonzero(is_lost))
        is_manual = self._is_manual(lost, lost.faces, parts_of(before.keys[lost.faces])[0])
        corners = lost.corners()
        for index in np.flatnonzero(is_manual).tolist():
            face = lost.faces[index]
            material = (
                self._materials[before.geometry.face[MATERIAL_INDEX][face]] if self._materials else None
            )
            if material is not None:
                look = self._settings.looks.add()
                set_piece(look, RoleTexture(material, corners[index]))
                look.face = int(before.keys[face])

    def _slot(self, material: Material) -> int:
        """Return the slot of a material, added if necessary."""
        if material not in self._materials:
            self._mesh.materials.append(material)
            self._materials.append(material)
        return self._materials.index(material)

    def _geometry(
        self, match: NDArray[np.int64], slots: NDArray[np.int32], uvs: NDArray[np.float64]
    ) -> PolyMesh:
        drawn = self._drawn
        is_corner = np.arange(4) < drawn.sizes[:, None]
        all_points = drawn.points[is_corner]
        # Blender has no two faces with the same vertices.
        layer = np.repeat(_same_before(drawn.points, drawn.sizes), drawn.sizes)[:, None]
        first, vertex = distinct_rows(np.concatenate([all_points, layer], axis=1).T, is_sorted=True)
        points, corners = all_points[first], vertex.astype(np.int32)
        positions = transformed(self._space.to_blender(points), self._matrix).astype(np.float32)
        result = PolyMesh(positions, corners, drawn.sizes.astype(np.int32))
        self._add_attributes(result, match, points, is_corner)
        result.put("face", KEY, drawn.keys)
        result.put("face", MATERIAL_INDEX, slots)
        result.put("corner", uv_name(self._mesh), uvs[is_corner].astype(np.float32))
        if not len(self._mesh.color_attributes):
            light = bytes_to_linear(np.tile(np.array(_NEUTRAL, np.uint8), (len(points), 1)))
            result.put("point", COLOR, light)
        return result

    def _add_attributes(
        self,
        mesh: PolyMesh,
        match: NDArray[np.int64],
        points: NDArray[np.float64],
        is_corner: NDArray[np.bool_],
    ) -> None:
        """Add the old attributes: those of the nearest vertices; new faces are flat."""
        old, is_new = self._before.geometry, match < 0
        if not len(old.corners):
            mesh.face[_FLAT] = np.ones(len(match), np.bool_)
            return
        used_vertices = np.unique(old.corners)
        vertex = used_vertices[nearest_vertices(points, self._before.points[used_vertices])]
        is_same = np.abs(self._before.points[vertex] - points).max(axis=1, initial=0) < ON_GRID
        corner_of = np.zeros(len(old.positions), np.int64)
        corner_of[old.corners[::-1]] = np.arange(len(old.corners))[::-1]
        source = self._corner[is_corner]
        source = np.where(source >= 0, source, corner_of[vertex[mesh.corners]])
        neighbor = old.face_of_corner[source[mesh.starts]]
        copied = old.take(points=vertex, corners=source, faces=np.where(is_new, neighbor, match))
        mesh.point, mesh.corner, mesh.face = copied.point, copied.corner, copied.face
        if VERTEX in mesh.point:
            mesh.point[VERTEX][~is_same] = -1
        for name, values in mesh.face.items():
            if not name.startswith(LAYER):
                values[is_new] = name == _FLAT

    def _store_drawn(self, pieces: dict[int, RoleTexture]) -> None:
        """Store the drawn textures, to recognize manual ones."""
        stored = self._settings.drawn
        while len(stored) < len(DrawnRole):
            stored.add()
        for setting, role in zip(stored, DrawnRole, strict=False):
            set_piece(setting, pieces[role])


def _same_before(points: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many faces before each one have the same corners, (f,)."""
    corners = distinct_rows(points.reshape(-1, 3).T, is_sorted=True)[1].reshape(-1, 4)
    corners[sizes == 3, 3] = -1
    group = distinct_rows(np.sort(corners, axis=1).T, is_sorted=True)[1]
    order = np.argsort(group, kind="stable")
    ranks = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    result = np.zeros(len(group), np.int64)
    result[order] = ranks
    return result


def _cells_of(before: OldFaces) -> list[set[tuple[int, ...]]]:
    """Return the sectors over which each face lies; of upright faces, the ones on both sides."""
    geometry = before.geometry
    result: list[set[tuple[int, ...]]] = []
    for start, size in zip(geometry.starts.tolist(), geometry.sizes.tolist(), strict=True):
        flat = before.points[geometry.corners[start : start + size]][:, [0, 2]] / SECTOR_SIZE
        low, high = flat.min(axis=0), flat.max(axis=0)
        is_thin = high - low < _THIN
        first = np.floor(np.where(is_thin, low - _THIN, low + _THIN)).astype(int)
        last = np.floor(np.where(is_thin, high + _THIN, high - _THIN)).astype(int)
        result.append({(x, z) for x in range(first[0], last[0] + 1) for z in range(first[1], last[1] + 1)})
    return result
