"""Edits that make the rooms of one level those of another, as far as injections can express it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.games import Game
from ...base.schema.fields import Record
from ...base.units import CLICK
from ...levels.collision.sectors import NO_ROOM
from ...levels.floor.editing import in_order
from ...levels.floor.floor_data import encode
from ...levels.floor.lists import FloorLists
from ...levels.injections.kinds import FloorEdit
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room
from ...levels.textures.face_words import DOUBLE_SIDED
from ...levels.textures.sprites import FIRST_ROOM_SPRITES

_LISTS = ("vertices", "quads", "triangles", "sprites", "static_meshes")
_ALL_FLAGS = 0xFF
_SAME_GROUP = 255
_MOST_SHIFT = 0x7FFF


class RoomMaker:
    """Compares rooms of the same number."""

    def __init__(self, before: Level, after: Level) -> None:
        self.before, self.after = before, after
        self.floor: list[Record] = []  #: records of floor edits.
        self.sizes: list[Record] = []  #: records of the sizes of rooms.
        self.edits: list[Record] = []  #: records of edits of their geometry.
        self.portals: list[Record] = []  #: records of edits of portals.
        self._lists = FloorLists.read(before), FloorLists.read(after)
        self._sources = _sources(before, after, "quads"), _sources(before, after, "triangles")

    def compare(self) -> None:
        """Compare all rooms that both levels have."""
        for number, (old, new) in enumerate(zip(self.before.rooms, self.after.rooms, strict=False)):
            self._properties(number, old, new)
            self._sectors(number, old, new)
            self._geometry(number, old, new)
            self._static_meshes(number, old, new)
            self._portals(number, old, new)
            self._sizes(number, old, new)

    def _edit(self, number: int, position: tuple[int, int], *edits: Record) -> None:
        self.floor.append({"room": number, "x": position[0], "z": position[1], "edits": list(edits)})

    def _properties(self, number: int, old: Room, new: Room) -> None:
        if (old.x, old.z) != (new.x, new.z):
            step = {
                axis: int(np.int32(getattr(new, axis) - getattr(old, axis)).view(np.uint32)) for axis in "xz"
            }
            self._edit(number, (0, 0), {"type": FloorEdit.MOVE_ROOM, **step, "y": 0})
        dx, dz = new.x_sectors - old.x_sectors, new.z_sectors - old.z_sectors
        if dx >= 0 <= dz and (dx or dz):
            self._edit(number, (0, 0), {"type": FloorEdit.GROW_ROOM, "dx": dx, "dz": dz})
        names = ("flags", "reverb", "alternate_group")
        if any(getattr(old, name, 0) != getattr(new, name, 0) for name in names):
            values = {"flags": new.flags & _ALL_FLAGS, "reverb": getattr(new, "reverb", 0)}
            edit: Record = {"type": FloorEdit.ROOM_PROPERTIES, **values}
            if getattr(old, "alternate_group", 0) != getattr(new, "alternate_group", 0):
                edit["flip_group"] = new.alternate_group
            self._edit(number, (0, 0), edit)

    def _sectors(self, number: int, old: Room, new: Room) -> None:
        if new.x_sectors < old.x_sectors or new.z_sectors < old.z_sectors:
            return
        size = new.x_sectors, new.z_sectors
        old_sectors = np.zeros(size, old.sectors.dtype)
        old_sectors["room_below"] = old_sectors["room_above"] = NO_ROOM
        old_sectors["floor"] = old_sectors["ceiling"] = -127
        old_sectors["box"] = 0xFFFF
        old_sectors[: old.x_sectors, : old.z_sectors] = old.sectors.reshape(old.x_sectors, old.z_sectors)
        new_sectors = new.sectors.reshape(size)
        has_materials = self.before.game.traits.has_materials
        old_lists, new_lists = self._lists
        if old_sectors.tobytes() == new_sectors.tobytes() and old_lists.data.words is new_lists.data.words:
            return
        functions = old_lists.of(old_sectors["floor_data"]), new_lists.of(new_sectors["floor_data"])
        for index, (old_functions, new_functions) in enumerate(zip(*functions, strict=True)):
            x, z = divmod(index, size[1])
            a, b = old_sectors[x, z], new_sectors[x, z]
            names = ("floor", "ceiling", "room_below", "room_above")
            if any(a[name] != b[name] for name in names):
                self._edit(number, (x, z), _sector_edit(a, b))
            if has_materials and (int(a["box"]) ^ int(b["box"])) & 0xF:
                self._edit(number, (x, z), {"type": FloorEdit.MATERIAL, "material": int(b["box"]) & 0xF})
            if old_functions != new_functions:
                words = encode(in_order(new_functions)) if new_functions else []
                self._edit(number, (x, z), {"type": FloorEdit.FLOOR_DATA, "words": list(words)})

    # --- Geometry --------------------------------------------------------------------------------

    def _geometry(self, number: int, old: Room, new: Room) -> None:
        if len(new.vertices) < len(old.vertices):
            return
        for row in range(len(old.vertices), len(new.vertices)):
            self._add(number, 0, 5, **_new_vertex(new.vertices[row], self.after.game))
        if old.vertices is not new.vertices:
            self._move_vertices(number, old.vertices, new.vertices)
        for face_type, name in enumerate(("quads", "triangles")):
            old_faces, new_faces = getattr(old, name), getattr(new, name)
            if old_faces is not new_faces and len(new_faces) >= len(old_faces):
                self._faces(number, face_type, old_faces, new_faces)
        self._sprites(number, old, new)

    def _add(self, number: int, face_type: int, kind: int, **values: Any) -> None:
        self.edits.append({"type": kind, "room": number, "face_type": face_type, **values})

    def _move_vertices(self, number: int, old: NDArray[Any], new: NDArray[Any]) -> None:
        count = len(old)
        has_color = self.before.game.traits.has_color_light
        for row in np.flatnonzero(old != new[:count]).tolist():
            before, after = old[row], new[row]
            step = {axis: int(after[axis]) - int(before[axis]) for axis in "xyz"}
            shade = 0 if has_color else int(after["light"]) - int(before["light"])
            if (any(step.values()) or shade) and max(map(abs, (shade, *step.values()))) <= _MOST_SHIFT:
                self._add(number, 0, 2, vertex=row, **step, shade=shade)
            names = old.dtype.names or ()
            if "attributes" in names and before["attributes"] != after["attributes"]:
                self._add(number, 0, 9, vertex=row, flags=int(after["attributes"]))
        if "attributes" in (new.dtype.names or ()):
            for row in (count + np.flatnonzero(new["attributes"][count:])).tolist():
                self._add(number, 0, 9, vertex=row, flags=int(new["attributes"][row]))

    def _faces(self, number: int, face_type: int, old: NDArray[Any], new: NDArray[Any]) -> None:
        for row in np.flatnonzero(old != new[: len(old)]).tolist():
            moves = [
                {"corner": corner, "vertex": int(new["vertices"][row][corner])}
                for corner in np.flatnonzero(old["vertices"][row] != new["vertices"][row]).tolist()
            ]
            if moves:
                self._add(number, face_type, 1, face=row, moves=moves)
            if old["texture"][row] != new["texture"][row]:
                self._texture(number, face_type, row, int(old["texture"][row]), int(new["texture"][row]))
        count = len(old)
        for row in range(len(old), len(new)):
            word = int(new["texture"][row])
            source, bit = self._source(face_type, word)
            if source is None:
                break  # the numbers of later faces would be wrong
            corners = new["vertices"][row].tolist()
            self._add(number, face_type, 4, source_room=source[0], source_face=source[1], vertices=corners)
            if bit is not None:
                self._add(number, face_type, 10, face=count, double_sided=bit)
            count += 1

    def _texture(self, number: int, face_type: int, row: int, old: int, word: int) -> None:
        if self.before.game.traits.has_double_sided_faces and old ^ word == DOUBLE_SIDED.mask:
            self._add(number, face_type, 10, face=row, double_sided=int(DOUBLE_SIDED.of(word)))
            return
        for kind in (face_type, 1 - face_type):
            source, bit = self._source(kind, word)
            if source is None:
                continue
            values = {"source_room": source[0], "source_face_type": kind, "source_face": source[1]}
            self._add(number, face_type, 0, face=row, **values)
            if bit is not None:
                self._add(number, face_type, 10, face=row, double_sided=bit)
            return

    def _source(self, face_type: int, word: int) -> tuple[tuple[int, int] | None, int | None]:
        """Return an unchanged face with a texture, and the side bit that has to be set afterwards."""
        source = self._sources[face_type].get(word)
        if source is not None or not self.before.game.traits.has_double_sided_faces:
            return source, None
        return self._sources[face_type].get(word ^ DOUBLE_SIDED.mask), int(DOUBLE_SIDED.of(word))

    def _sprites(self, number: int, old: Room, new: Room) -> None:
        if len(new.sprites) < len(old.sprites):
            return
        for row in range(len(old.sprites), len(new.sprites)):
            sprite = self._room_sprite(int(new.sprites["texture"][row]))
            if sprite is None:
                return
            vertex = int(new.sprites["vertex"][row])
            self._add(number, 0, 6, sprite=sprite[0], vertex=vertex, image=sprite[1])

    def _room_sprite(self, texture: int) -> tuple[int, int] | None:
        first = FIRST_ROOM_SPRITES[self.before.game]
        for record in self.before.sprite_sequences:
            image = texture - int(record["first"])
            if record["id"] >= first and 0 <= image < -int(record["negative_length"]):
                return int(record["id"]) - first, image
        return None

    # --- Static meshes and portals ---------------------------------------------------------------

    def _static_meshes(self, number: int, old: Room, new: Room) -> None:
        old_meshes, new_meshes = old.static_meshes, new.static_meshes
        if len(new_meshes) < len(old_meshes):
            return
        light = "color" if self.before.game.traits.has_color_light else "intensity"
        for row, record in enumerate(new_meshes):
            values = {axis: int(record[axis]) for axis in "xyz"}
            values |= {"angle": int(np.uint16(record["angle"]).astype(np.int16)), "light": int(record[light])}
            if row >= len(old_meshes):
                self._add(number, 0, 7, **values, id=int(record["static_mesh"]))
            elif record != old_meshes[row]:
                self._add(number, 0, 8, static_mesh=row, **values)

    def _portals(self, number: int, old: Room, new: Room) -> None:
        if old.portals is new.portals or not np.array_equal(old.portals["room"], new.portals["room"]):
            return
        seen: dict[int, int] = {}
        for old_portal, new_portal in zip(old.portals, new.portals, strict=True):
            target = int(old_portal["room"])
            index = seen[target] = seen.get(target, -1) + 1
            steps = new_portal["vertices"].astype(int) - old_portal["vertices"].astype(int)
            if steps.any() and np.abs(steps).max() <= _MOST_SHIFT:
                self.portals.append(
                    {"room": number, "to_room": target, "portal": index, "corners": steps.ravel().tolist()}
                )

    def _sizes(self, number: int, old: Room, new: Room) -> None:
        growth = {name: max(len(getattr(new, name)) - len(getattr(old, name)), 0) for name in _LISTS}
        sectors = max(new.x_sectors * new.z_sectors - old.x_sectors * old.z_sectors, 0)
        if any(growth.values()) or sectors:
            self.sizes.append({"room": number, **growth, "sectors": sectors})


def _sector_edit(old: Any, new: Any) -> Record:
    """Return the edit of a whole sector. Box and floor data stay those of the old one."""
    rooms = {name: -1 if new[name] == NO_ROOM else int(new[name]) for name in ("room_below", "room_above")}
    return {
        "type": FloorEdit.SECTOR,
        "floor_data": int(old["floor_data"]),
        "box": int(np.uint16(old["box"]).astype(np.int16)),
        "room_below": rooms["room_below"],
        "floor": int(new["floor"]) * CLICK,
        "room_above": rooms["room_above"],
        "ceiling": int(new["ceiling"]) * CLICK,
    }


def _new_vertex(record: Any, game: Game) -> Record:
    values: Record = {axis: int(record[axis]) for axis in "xyz"}
    has_color = game.traits.has_color_light
    shade = int(np.uint16(record["color"]).astype(np.int16)) if has_color else int(record["light"])
    return {**values, "shade": shade}


def _sources(before: Level, after: Level, name: str) -> dict[int, tuple[int, int]]:
    """Return the first room and face with each texture word, of faces that have it in both levels."""
    result: dict[int, tuple[int, int]] = {}
    for number, rooms in enumerate(zip(before.rooms, after.rooms, strict=False)):
        old, new = (getattr(room, name)["texture"] for room in rooms)
        count = min(len(old), len(new))
        for row in np.flatnonzero(old[:count] == new[:count]).tolist():
            result.setdefault(int(old[row]), (number, row))
    return result
