"""Edited objects of rooms written into a project: entities, lights, sounds, cameras and static meshes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.bits import join_records
from ....base.games import Game
from ..from_level.rooms import placed
from ..from_level.triggers import ObjectNumbers
from ..model.objects import Camera, Positioned, Sink
from ..model.rooms import ProjectRoom
from .placed import places_of, records, update_placed
from .sources import NEW, UNKNOWN, paired
from .state import State

# Values of lights that a level does not store.
_LIGHT_VALUES = ("static", "imported_geometry", "obstructed", "quality", "casts_shadows")

_Convert = Callable[[Game, ProjectRoom, Any, int], Positioned]


class ObjectUpdate:
    """Writes the objects of an edited level."""

    def __init__(self, state: State) -> None:
        self._state = state

    def run(self) -> ObjectNumbers:
        """Write the objects; return the numbers by which triggers refer to them."""
        origin, game = self._state.origin, self._state.after.game
        entities = self._in_list("entities", placed.moveable, origin.entities)
        if game.traits.has_ai_objects:
            self._in_list("ai_objects", _of_any_game(placed.ai_object), origin.ai_objects)
        flybys: dict[int, int] = {}
        numbers_by_row = self._in_list("flyby_cameras", _of_any_game(placed.flyby), origin.flybys)
        for row, number in sorted(numbers_by_row.items()):
            flybys.setdefault(int(self._state.after.decoded.flybys["sequence"][row]), number)
        self._in_list("sound_sources", _of_any_game(placed.sound_source), origin.sounds)
        trng = self._state.after.trng
        self._in_rooms("static_meshes", lambda *each: placed.static(*each, trng=trng), origin.statics)
        self._in_rooms("lights", placed.light, origin.lights, _LIGHT_VALUES)
        if game.traits.has_fog_bulb_list:
            counts = [len(room.lights) for room in self._state.before.level.rooms]
            bulbs = [numbers[count:] for numbers, count in zip(origin.lights, counts, strict=True)]
            self._in_rooms("fog_bulbs", placed.light, bulbs, _LIGHT_VALUES)
        return ObjectNumbers(entities, self._cameras(), flybys)

    def _in_list(self, name: str, convert: _Convert, origins: Sequence[int]) -> dict[int, int]:
        rows = [
            parts.decoded.flybys if name == "flyby_cameras" else getattr(parts.level, name)
            for parts in (self._state.before, self._state.after)
        ]
        sources = self._state.sources_of(name, len(rows[1]))
        numbers = self._place(
            rows, sources, convert, ("room", "box"), origins, is_in_room="room" in (rows[0].dtype.names or ())
        )
        self._state.result.numbers[name] = numbers
        return numbers

    def _place(
        self,
        rows: Sequence[NDArray[np.void]],
        sources: Ints,
        convert: _Convert,
        ignored: Sequence[str],
        origins: Sequence[int],
        kept: Sequence[str] = (),
        *,
        is_in_room: bool,
    ) -> dict[int, int]:
        """Write records of a list of the level; return the number of each by its row.

        Args:
            rows: the records before and after.
            sources: of the records after.
            ignored: fields whose numbers follow other edits.
            origins: the number of the object of each record before.
            kept: values that a level does not store.
            is_in_room: the records name their rooms; otherwise the rooms are found by the positions.
        """
        rooms = [
            [
                project_rooms[
                    min(max(int(row["room"]), 0), len(project_rooms) - 1)
                    if is_in_room
                    else parts.room_of(row)
                ]
                for row in level_rows
            ]
            for level_rows, parts, project_rooms in zip(
                rows, (self._state.before, self._state.after), (self._state.old, self._state.new), strict=True
            )
        ]
        converts = [partial(convert, parts.game) for parts in (self._state.before, self._state.after)]
        before = records(rows[0], rooms[0], converts[0], self._state.rooms_before, ignored)
        after = records(rows[1], rooms[1], converts[1], {}, ignored)
        pairs = paired(sources, before.keys, after.keys, places_of(rows[0]), places_of(rows[1]))
        if not is_in_room:
            # The project knows the rooms of its objects; they stay there unless they are elsewhere now.
            owners = [self._state.owners[number][0] for number in origins]
            for old, new in pairs:
                if old >= 0 and new >= 0 and any(owners[old] is room for room in self._state.new):
                    stays = all(rows[0][axis][old] == rows[1][axis][new] for axis in "xyz")
                    if stays or rooms[0][old] is rooms[1][new]:
                        rooms[1][new] = owners[old]
            before, after = before._replace(rooms=owners), after._replace(rooms=rooms[1])
        return update_placed(self._state.project, before, after, origins, pairs, kept)

    def _in_rooms(
        self, name: str, convert: _Convert, origins: Sequence[Sequence[int]], kept: Sequence[str] = ()
    ) -> None:
        if not self._state.before.level.rooms or not self._state.after.level.rooms:
            return
        states = []
        for parts, rooms, moved in (
            (self._state.before, self._state.old, self._state.rooms_before),
            (self._state.after, self._state.new, {}),
        ):
            lists = [getattr(room, name) for room in parts.level.rooms]
            owners = [room for room, level_records in zip(rooms, lists, strict=True) for _ in level_records]
            in_game = partial(convert, parts.game)
            states.append(records(join_records(lists), owners, in_game, moved))
        before, after = states
        counts = [len(getattr(room, name)) for room in self._state.before.level.rooms]
        joined = [
            number for numbers, count in zip(origins, counts, strict=True) for number in numbers[:count]
        ]
        sources = self._state.sources_of(name, len(after.rows))
        pairs = paired(sources, before.keys, after.keys, places_of(before.rows), places_of(after.rows))
        numbers = update_placed(self._state.project, before, after, joined, pairs, kept)
        self._state.result.numbers[name] = numbers

    def _cameras(self) -> dict[int, int]:
        """Write fixed cameras and currents; return the number of each by its index in the table."""
        tables = self._state.before.level.cameras, self._state.after.level.cameras
        origins = self._state.origin.cameras
        # Only the project and the scene know which is which: a level does not store it.
        was_sink = np.array([isinstance(self._state.owners[each][1], Sink) for each in origins], np.bool_)
        sources, is_sink = self._state.sources_of("cameras", len(tables[1])), self._state.after.is_sink.copy()
        if self._state.sources is None or self._state.sources.sinks is None:
            size = tables[0].dtype.itemsize
            keys = [np.ascontiguousarray(each).view(np.uint8).reshape(-1, size) for each in tables]
            positions = places_of(tables[0]), places_of(tables[1])
            for old, new in paired(sources, keys[0], keys[1], *positions):
                if old >= 0 and new >= 0:
                    is_sink[new] = was_sink[old]
        numbers: dict[int, int] = {}
        for sinks in (False, True):
            indices = np.flatnonzero(was_sink == sinks), np.flatnonzero(is_sink == sinks)
            row_of = np.full(len(was_sink) + 2, NEW)  # the last two: unknown, new
            row_of[indices[0]], row_of[UNKNOWN] = np.arange(len(indices[0])), UNKNOWN
            numbers_by_row = self._place(
                [table[rows] for table, rows in zip(tables, indices, strict=True)],
                row_of[sources[indices[1]]],
                _of_any_game(placed.sink if sinks else placed.camera),
                ("flags",) if sinks else ("room",),
                [origins[row] for row in indices[0].tolist()],
                ("move_timer",),
                is_in_room=not sinks,
            )
            numbers |= {int(indices[1][row]): number for row, number in numbers_by_row.items()}
        self._set_moves(numbers, self._state.before.camera_moves, self._state.after.camera_moves)
        return numbers

    def _set_moves(
        self, numbers: dict[int, int], before: dict[int, list[int]], after: dict[int, list[int]]
    ) -> None:
        """Write the times of moves to cameras, which triggers have in a level."""
        times_before = {
            self._state.origin.cameras[row]: moves[0]
            for row, moves in before.items()
            if row < len(self._state.origin.cameras)
        }
        by_number = {each.number: each for _, each in self._state.project.objects()}
        for row, (move, *_) in after.items():
            number = numbers.get(row)
            camera = by_number.get(-1 if number is None else number)
            if isinstance(camera, Camera) and number is not None and times_before.get(number) != move:
                camera.move_timer = move


def _of_any_game(convert: Callable[[ProjectRoom, Any, int], Positioned]) -> _Convert:
    return lambda _, *rest: convert(*rest)
