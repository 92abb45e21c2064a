"""A level into which edits are baked: sections are decoded on first use, and written once at the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.animations.animations import model_animations
from ...levels.floor.editing import edit, in_order
from ...levels.floor.floor_data import Functions, encode, word_roles
from ...levels.floor.functions import Function
from ...levels.floor.lists import FloorLists, sector_indices
from ...levels.injections.kinds import ReferenceKind
from ...levels.level.level import Level
from ...levels.level.level_pages import pages_of
from ...levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from ...levels.rooms.rooms import Room
from ...levels.textures.textiles import changed_pixels, decode_pages, encode_pages

FACES = ("quads", "triangles", "colored_quads", "colored_triangles")  # of meshes, by type of faces


class NotAppliedError(Exception):
    """The reason why an edit cannot be baked."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text  #: the reason, as a message.


def engine_only() -> NotAppliedError:
    """Return the error for edits that no level can hold."""
    return NotAppliedError(T("only the engine can do this, so it stays an edit"))


def check_number(number: int, count: int, what: str) -> int:
    """Return the number of one of the level's elements. Raises NotAppliedError if it has no such element."""
    if not 0 <= number < count:
        raise NotAppliedError(T("the level has no {what} {number}", what=what, number=number))
    return number


def images_of(level: Level) -> NDArray[np.uint8]:
    """Return the texture pages of a level, (n, 256, 256, 4) RGBA, with their transparent texels."""
    return decode_pages(pages_of(level)._replace(opaque=None))


class Baking:
    """The level under change. Arrays of the original are never written to."""

    def __init__(self, level: Level) -> None:
        self.level = level.copy()  #: the level. Floor data, meshes and pages are stale until :meth:`finish`.
        self._functions: dict[tuple[int, int, int], Functions] = {}
        self._encoded: dict[int, bytes] = {}  # changed meshes
        self._own: set[int] = set()  # ids of arrays that may be written to
        self._kept: list[Any] = []  # so that ids stay unique

    def own(self, owner: Any, name: str) -> NDArray[Any]:
        """Return a section of the level or of a room as an array that may be written to."""
        array = getattr(owner, name)
        if id(array) not in self._own:
            array = np.array(array)
            self.put(owner, name, array)
        return array

    def put(self, owner: Any, name: str, array: NDArray[Any]) -> None:
        """Replace a section."""
        self._own.add(id(array))
        self._kept.append(array)
        setattr(owner, name, array)

    def append(self, owner: Any, name: str, **values: Any) -> None:
        """Append a record. Fields that are not given are 0."""
        old = getattr(owner, name)
        record = np.zeros(1, old.dtype)
        for field, value in values.items():
            if field in (old.dtype.names or ()):
                record[field] = np.asarray(value).astype(record[field].dtype)
        self.put(owner, name, np.concatenate([old, record]))

    # --- Elements --------------------------------------------------------------------------------

    def room(self, number: int) -> Room:
        """Return a room by its number."""
        if not 0 <= number < len(self.level.rooms):
            raise NotAppliedError(T("the level has no room {number}", number=number))
        return self.level.rooms[number]

    def row(self, name: str, number: int, what: str) -> int:
        """Return the number of an element of a section after a check."""
        return check_number(number, len(getattr(self.level, name)), what)

    def sector(self, number: int, x: int, z: int) -> int:
        """Return the index of a sector within its room."""
        room = self.room(number)
        if not (x < room.x_sectors and z < room.z_sectors):
            raise NotAppliedError(T("the room has no sector ({x}, {z})", x=x, z=z))
        return x * room.z_sectors + z

    def model(self, reference: Record) -> Any:
        """Return the record of a model."""
        rows = np.flatnonzero(self.level.models["id"] == reference["id"])
        if reference["kind"] != ReferenceKind.MODEL or not len(rows):
            raise NotAppliedError(T("the level has no model {number}", number=reference["id"]))
        return self.level.models[rows[0]]

    def animation(self, reference: Record, number: int) -> int:
        """Return the index of an animation of a model."""
        model = self.model(reference)
        firsts, counts = model_animations(self.level.models, self.level.animations)
        row = int(np.flatnonzero(self.level.models["id"] == model["id"])[0])
        if firsts[row] < 0 or not 0 <= number < counts[row]:
            raise NotAppliedError(
                T("model {id} has no animation {number}", id=int(model["id"]), number=number)
            )
        return int(firsts[row]) + number

    # --- Floor data ------------------------------------------------------------------------------

    @cached_property
    def _lists(self) -> FloorLists:
        return FloorLists.read(self.level)

    def functions(self, room: int, x: int, z: int) -> Functions:
        """Return the functions of a sector."""
        index = self.sector(room, x, z)
        if (room, x, z) not in self._functions:
            return self._lists.of(self.level.rooms[room].sectors["floor_data"][index : index + 1])[0]
        return self._functions[room, x, z]

    def put_functions(self, room: int, x: int, z: int, functions: Sequence[Function]) -> None:
        """Replace the functions of a sector."""
        self.sector(room, x, z)
        ordered = in_order(functions)
        if ordered:
            word_roles(encode(ordered))  # refuses what cannot be read again
        self._functions[room, x, z] = ordered

    def flush_functions(self) -> None:
        """Write changed functions to the level, before sectors change their place."""
        if not self._functions:
            return
        level = self.level
        edited = edit(self._lists.data, sector_indices(level.rooms), self._functions)
        level.floor_data = edited.words
        for room, words in zip(level.rooms, edited.sectors, strict=True):
            self.own(room, "sectors")["floor_data"] = words.ravel()
        self._functions.clear()
        del self._lists

    # --- Meshes and pages ------------------------------------------------------------------------

    @cached_property
    def _block(self) -> tuple[list[Mesh], list[int]]:
        level = self.level
        block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
        return list(block.meshes), block.pointers.tolist()

    @property
    def mesh_count(self) -> int:
        """The number of mesh pointers."""
        return len(self._block[1])

    def mesh(self, pointer: int) -> Mesh:
        """Return the mesh of a pointer."""
        meshes, pointers = self._block
        return meshes[pointers[check_number(pointer, len(pointers), T("mesh"))]]

    def add_mesh(self, mesh: Mesh) -> None:
        """Append a mesh with a pointer of its own. Raises ExportError if it does not fit the file."""
        meshes, pointers = self._block
        self._encoded[len(meshes)] = encode_mesh(self.level.game, mesh)
        pointers.append(len(meshes))
        meshes.append(mesh)

    def set_mesh(self, pointer: int, mesh: Mesh) -> None:
        """Replace the mesh of a pointer. Raises ExportError if it does not fit the file."""
        meshes, pointers = self._block
        self._encoded[pointers[pointer]] = encode_mesh(self.level.game, mesh)
        meshes[pointers[pointer]] = mesh

    @cached_property
    def pages(self) -> NDArray[np.uint8]:
        """The texture pages, (n, 256, 256, 4). They may be painted."""
        return images_of(self.level).copy()

    def holds_colors(self, pixels: NDArray[np.uint8]) -> bool:
        """Return whether the pages of the game can hold colors, (h, w, 4), exactly."""
        page = np.zeros((1, 256, 256, 4), np.uint8)
        page[0, : pixels.shape[0], : pixels.shape[1]] = pixels
        empty = pages_of(self.level)._replace(opaque=None)
        none = empty._replace(
            textiles8=None if empty.textiles8 is None else empty.textiles8[:0],
            textiles16=None if empty.textiles16 is None else empty.textiles16[:0],
        )
        result = decode_pages(encode_pages(page, none))
        return not changed_pixels(result, page).any()

    def add_pages(self, pages: NDArray[np.uint8]) -> None:
        """Append pages, (n, 256, 256, 4)."""
        self.pages = np.concatenate([self.pages, pages])

    def finish(self) -> Level:
        """Write everything that was changed, and return the level.

        Raises:
            ExportError: if something does not fit.
        """
        self.flush_functions()
        level = self.level
        if self._encoded:
            meshes, pointers = self._block
            encoded = [self._encoded.get(number, mesh.raw) for number, mesh in enumerate(meshes)]
            level.mesh_data, level.mesh_pointers = encode_block(encoded, np.array(pointers, np.int32))
        if "pages" in self.__dict__:
            encoded_pages = encode_pages(self.pages, pages_of(level)._replace(opaque=None))
            if encoded_pages.textiles8 is not None:
                level.textiles8 = encoded_pages.textiles8
            if encoded_pages.textiles16 is not None:
                level.textiles16 = encoded_pages.textiles16
        return level
