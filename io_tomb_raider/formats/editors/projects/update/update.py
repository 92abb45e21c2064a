"""Edits of a level written into the project that it was compiled from.

The level as it was compiled and as it is now are both read in the form of a project, and only what differs is
written. What a level rounds or does not store keeps the project's own value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.bits import join_records
from ....base.games import Game
from ....base.messages import T, about, plural
from ....base.units import SECTOR_SIZE
from ....levels.textures.png import encode_png
from ....levels.textures.textiles import PAGE_SIZE
from ....levels.views.decoded import Decoded
from ..compile.compile import Compiled
from ..compile.rooms.imported import put_in_room
from ..compile.rooms.mesh import level_places
from ..from_level.from_level import FOLDER, fit_room, model_of, records_of
from ..from_level.models import imported_model, material_file
from ..from_level.rooms import placed
from ..from_level.rooms.animated import animation_words, animations_of, whole_tiles
from ..from_level.rooms.faces import RoomFaces
from ..from_level.rooms.light import has_seams, vertex_light
from ..from_level.rooms.narrow import size_of
from ..from_level.rooms.parts import LevelParts
from ..from_level.rooms.textures import page_image
from ..from_level.triggers import Numbers, room_triggers
from ..geometry.faces import Faces
from ..geometry.geometry import room_faces
from ..geometry.openings import ProjectRooms
from ..model.objects import NO_OBJECT, WHITE, Camera, ImportedGeometry, Portal, Positioned, Sink
from ..model.parameters import is_compiled
from ..model.project import LevelTexture, Project
from ..model.rooms import Room
from ..model.shape import FACE, RoomShape, SectorFlag, face_keys
from .animated import update_animated_sets
from .apart import FaceRows, level_without
from .cut import without_cut_walls
from .faces import changed_faces, put_faces
from .imported import PlacedModel, faces_of_origin, linear_of, put_place, put_turn
from .match import Pair, keys_of
from .placed import places_of, records, update_placed
from .portals import update_portals
from .shapes import raise_shape, resized_shape, update_shape
from .sources import NEW, UNKNOWN, Sources, paired
from .triggers import RoomChange, update_triggers

_EDITED = "{}_edited"
_TEXTURE, _MODEL, _MATERIALS = "{}.png", "{}_{:03}.obj", "{}.mtl"
_BY_VERTEX_COLORS, _NO_MODEL = 1, -1
# Values of lights that a level does not store.
_LIGHT_VALUES = ("static", "imported_geometry", "obstructed", "quality", "casts_shadows")
_ROOM_VALUES = (
    "ambient", "cold", "damage", "horizon", "outside", "no_lens_flare", "kind", "reverb", "effect",
)  # fmt: skip
# Sections of objects, which stay in their own files.
_OBJECT_SECTIONS = ("mesh_data", "models", "animations", "frames", "static_meshes", "samples")

_FOR_ENEMIES = int(SectorFlag.BOX | SectorFlag.NOT_WALKABLE)

_Convert = Callable[[Game, Room, Any, int], Positioned]


@dataclass
class Updated:
    """What was written into a project."""

    files: dict[str, bytes] = field(default_factory=dict)  #: files beside the project, by name.
    notes: list[str] = field(default_factory=list)  #: what a project cannot have, by object.


def update_project(
    project: Project,
    compiled: Compiled,
    edited: Decoded,
    name: str,
    models: Sequence[PlacedModel] | None = None,
    sources: Sources | None = None,
) -> Updated:
    """Write the differences between a compiled level and its edited state into its project.

    Args:
        project: the project that was compiled; changed in place.
        compiled: the level as it was compiled, with the origin of its parts.
        edited: the level as it is now.
        name: of files beside the project, without ending.
        models: the imported geometry of the edited level; None if its faces are a part of the rooms' meshes.
        sources: what each part of the edited level was; by default found by content.
    """
    return _Update(project, compiled, edited, name, models, sources).run()


class _Update:
    def __init__(
        self,
        project: Project,
        compiled: Compiled,
        edited: Decoded,
        name: str,
        models: Sequence[PlacedModel] | None,
        sources: Sources | None,
    ) -> None:
        self._project, self._origin, self._name = project, compiled.origin, _free_name(project, name)
        self._models, self._sources = models, sources
        before = Decoded(compiled.level)
        sizes = {size_of(room) for room in compiled.level.rooms}
        # The rooms where their objects are in the scene.
        self._uncut = edited.level.rooms
        if sources is not None:
            edited = without_cut_walls(before, edited, sources.rooms)
        after = edited
        sinks = None if sources is None else sources.sinks
        self._whole = LevelParts(edited, sizes=sizes, sinks=sinks, has_own_boxes=False)
        if models is not None:
            by_room: defaultdict[int, list[FaceRows]] = defaultdict(list)
            for each in models:
                by_room[each.room].append(each.faces)
            before = level_without(before, faces_of_origin(compiled.origin))
            after = level_without(edited, {number: FaceRows.joined(rows) for number, rows in by_room.items()})
        self._before = LevelParts(before, sizes=sizes, has_own_boxes=False)
        self._after = (
            self._whole
            if after is edited
            else LevelParts(after, sizes=sizes, sinks=sinks, has_own_boxes=False)
        )
        self._owners = {each.number: (room, each) for room, each in project.objects()}
        self._made = Updated()
        self._number = project.new_number() - 1
        # The texture that an image of the edited pages becomes.
        self._image = max((each.number for each in project.settings.textures), default=-1) + 1
        self._needs_image = False
        by_number = {room.number: room for room in project.rooms}
        # The project's rooms in the order of the level before and after.
        self._old = [by_number[number] for number in self._origin.rooms]
        # The rooms where they were, by their numbers.
        self._places = {room.number: replace(room) for room in project.rooms}
        self._new: list[Room] = []
        # How far the sectors of rooms moved that have another size.
        self._offsets: dict[int, tuple[int, int]] = {}

    def _next(self) -> int:
        self._number += 1
        return self._number

    def run(self) -> Updated:
        rooms = self._pair_rooms()
        self._same, self._painted = self._compare_areas()
        touched = {new for old, new in rooms if old < 0 or self._is_touched(old, new)}
        built = self._built(self._old, [old for old, new in rooms if old >= 0 and new in touched])
        self._set_rooms(rooms)
        resized = self._set_shapes(rooms)
        self._set_portals()
        numbers = self._set_placed(rooms)
        self._number = max(self._number, self._project.new_number() - 1)
        self._set_triggers(rooms, numbers)
        added = [new for old, new in rooms if old < 0]
        self._after.raise_walls(self._new, added)
        self._set_models()
        self._set_faces([pair for pair in rooms if pair[1] in touched], built, resized)
        self._set_animations()
        self._add_image()
        self._compare_light(rooms)
        self._compare_objects()
        return self._made

    # --- Rooms ---------------------------------------------------------------------------------

    def _pair_rooms(self) -> list[Pair]:
        """Find which room is which; add and remove rooms of the project."""
        found = self._room_pairs()
        new: dict[int, Room] = {}
        free = max((room.number for room in self._project.rooms), default=-1)
        for before, after in found:
            if after < 0:
                self._remove(self._old[before])
            elif before < 0:
                free += 1
                room = self._after.room(after)
                room.number, room.alternate = free, None
                self._copy_marks(after, room)
                self._project.rooms.append(room)
                new[after] = room
            else:
                new[after] = self._old[before]
        self._new = [new[index] for index in range(len(self._after.level.rooms))]
        return [pair for pair in found if pair[1] >= 0]

    def _room_pairs(self) -> list[Pair]:
        levels = self._before.level.rooms, self._after.level.rooms
        keys = [
            keys_of(
                b"%d %d " % (room.x, room.z) + room.sectors.tobytes() + room.vertices.tobytes()
                for room in each
            )
            for each in levels
        ]
        places = [
            np.array([(r.x, r.z, r.y_bottom, r.x_sectors, r.z_sectors) for r in each], np.float64).reshape(
                -1, 5
            )
            for each in levels
        ]
        unknown = np.full(len(levels[1]), UNKNOWN)
        sources = unknown if self._sources is None else self._sources.rooms
        return paired(sources, keys[0], keys[1], places[0], places[1])

    def _copy_marks(self, number: int, room: Room) -> None:
        """Give a copy of a room what the author set for enemies there."""
        source = -1 if self._sources is None else self._sources.copied_rooms.get(number, -1)
        if not 0 <= source < len(self._old):
            return
        original = self._old[source]
        room.no_pathfinding = original.no_pathfinding
        if original.shape.flags.shape == room.shape.flags.shape:
            room.shape.flags |= original.shape.flags & _FOR_ENEMIES

    def _remove(self, gone: Room) -> None:
        """Remove a room, and the portals to it."""
        self._project.rooms.remove(gone)
        for room in self._project.rooms:
            room.objects = [
                each for each in room.objects if not (isinstance(each, Portal) and each.room == gone.number)
            ]
            if room.alternate is not None and room.alternate[1] == gone.number:
                room.alternate = None

    def _is_touched(self, old: int, new: int) -> bool:
        """Return whether the faces or the sectors of a room differ."""
        before, after = self._before, self._after
        was, now = before.level.rooms[old], after.level.rooms[new]
        if any(
            getattr(was, name).tobytes() != getattr(now, name).tobytes()
            for name in ("vertices", "quads", "triangles")
        ):
            return True
        if not np.array_equal(before.textures(old).corners, after.textures(new).corners):
            return True
        if _is_in(after.textures(new).corners, self._painted).any():
            return True
        one, other = before.room(old), after.room(new)
        return bool(
            one.y != other.y
            or one.shape.wall.shape != other.shape.wall.shape
            or (one.shape.floor.heights != other.shape.floor.heights).any()
            or (one.shape.ceiling.heights != other.shape.ceiling.heights).any()
            or (one.shape.wall != other.shape.wall).any()
        )

    def _built(self, rooms: Sequence[Room], numbers: Sequence[int]) -> dict[int, Faces]:
        """Return the faces that the editor builds in some rooms now."""
        project = ProjectRooms(rooms)
        return {number: room_faces(project, rooms[number]) for number in numbers}

    def _set_rooms(self, rooms: Sequence[Pair]) -> None:
        for old, new in rooms:
            if old < 0:
                continue
            was, now, room = self._before.room(old), self._after.room(new), self._old[old]
            for name in _ROOM_VALUES:
                if getattr(was, name) != getattr(now, name):
                    setattr(room, name, getattr(now, name))
            room.x, room.z = room.x + now.x - was.x, room.z + now.z - was.z
        for old, new in rooms:
            pair = self._pair_of(self._after, new, self._new)
            if old < 0 or pair != self._pair_of(self._before, old, self._old):
                self._new[new].alternate = pair

    def _pair_of(self, parts: LevelParts, number: int, rooms: Sequence[Room]) -> tuple[int, int] | None:
        """Return the flip map and the alternate room of a room."""
        other = parts.alternates.get(number)
        if other is None:
            return None
        room = parts.level.rooms[number]
        group = int(room.alternate_group) if parts.game.traits.has_flip_groups else 0
        return group, rooms[other].number

    # --- Sectors -------------------------------------------------------------------------------

    def _set_shapes(self, rooms: Sequence[Pair]) -> set[int]:
        """Write the sectors; return the rooms after that have another size."""
        resized = set()
        for old, new in rooms:
            if old < 0:
                continue
            before, after, room = self._before.room(old), self._after.room(new), self._old[old]
            step = after.y - before.y
            if before.shape.wall.shape != after.shape.wall.shape:
                room.y += step
                offset = before.x - after.x, before.z - after.z
                for shape in (room.shape, before.shape):
                    raise_shape(shape, -step)
                room.shape = resized_shape(room.shape, before.shape, after.shape, offset)
                raise_shape(before.shape, step)
                for each in room.objects:
                    _move_area(each, offset)
                self._offsets[new] = offset
                resized.add(new)
                continue
            # A lower floor changes the height of the whole room; compare heights above the same one.
            raise_shape(after.shape, step)
            update_shape(room.shape, before.shape, after.shape)
            raise_shape(after.shape, -step)
            was_kept, is_kept = self._before.blockable(old), self._after.blockable(new)
            room.shape.flags[(was_kept == 0) & (is_kept == 1)] |= int(SectorFlag.BOX)
            room.shape.flags[(was_kept == 1) & (is_kept == 0)] &= ~int(SectorFlag.BOX)
        return resized

    # --- Portals -------------------------------------------------------------------------------

    def _set_portals(self) -> None:
        """Write the portals, and note those that a project cannot have."""
        lost = update_portals(self._project, (self._before, self._old), (self._after, self._new), self._next)
        for each in lost:
            room = self._new[each.room]
            names = [room.name for room in self._new]
            self._made.notes.append(about(room.name, each.text(room, names)))

    # --- Objects -------------------------------------------------------------------------------

    def _set_placed(self, rooms: Sequence[Pair]) -> Numbers:
        origin, game = self._origin, self._after.game
        entities = self._in_list("entities", placed.moveable, origin.entities)
        if game.traits.has_ai_objects:
            self._in_list("ai_objects", lambda _, *rest: placed.ai_object(*rest), origin.ai_objects)
        flybys: dict[int, int] = {}
        if game.traits.has_flybys:
            made = self._in_list("flyby_cameras", lambda _, *rest: placed.flyby(*rest), origin.flybys)
            for row, number in sorted(made.items()):
                flybys.setdefault(int(self._after.level.flyby_cameras["sequence"][row]), number)
        self._in_list("sound_sources", lambda _, *rest: placed.sound_source(*rest), origin.sounds)
        trng = self._after.trng
        self._in_rooms("static_meshes", lambda *each: placed.static(*each, trng=trng), origin.statics)
        self._in_rooms("lights", placed.light, origin.lights, _LIGHT_VALUES)
        if game.traits.has_fog_bulb_list:
            counts = [len(room.lights) for room in self._before.level.rooms]
            bulbs = [numbers[count:] for numbers, count in zip(origin.lights, counts, strict=True)]
            self._in_rooms("fog_bulbs", placed.light, bulbs, _LIGHT_VALUES)
        return Numbers(entities, self._cameras(), flybys)

    def _in_list(self, name: str, convert: _Convert, origins: Sequence[int]) -> dict[int, int]:
        rows = [getattr(parts.level, name) for parts in (self._before, self._after)]
        sources = self._sources_of(name, len(rows[1]))
        return self._place(
            rows, sources, convert, ("room", "box"), origins, is_in_room="room" in rows[0].dtype.names
        )

    def _place(
        self,
        rows: Sequence[NDArray[np.void]],
        sources: NDArray[np.int64],
        convert: _Convert,
        ignored: Sequence[str],
        origins: Sequence[int],
        kept: Sequence[str] = (),
        *,
        is_in_room: bool,
    ) -> dict[int, int]:
        """Write records of a list of the level; return the number of each by its row.

        Args:
            rows: those before and after.
            sources: of those after.
            convert: makes the object of a record.
            ignored: fields whose numbers follow other edits.
            origins: the number of the object of each record before.
            kept: values that a level does not store.
            is_in_room: the records name their rooms; otherwise they are found by their places.
        """
        rooms = [
            [
                own[min(max(int(row["room"]), 0), len(own) - 1) if is_in_room else parts.room_of(row)]
                for row in each
            ]
            for each, parts, own in zip(
                rows, (self._before, self._after), (self._old, self._new), strict=True
            )
        ]
        converts = self._as_before(convert), partial(convert, self._after.game)
        before = records(rows[0], rooms[0], converts[0], ignored)
        after = records(rows[1], rooms[1], converts[1], ignored)
        found = paired(sources, before.keys, after.keys, places_of(rows[0]), places_of(rows[1]))
        if not is_in_room:
            # The project knows the rooms of its objects; they stay there unless they are elsewhere now.
            owners = [self._owners[number][0] for number in origins]
            for old, new in found:
                if old >= 0 and new >= 0 and any(owners[old] is room for room in self._new):
                    stays = all(rows[0][axis][old] == rows[1][axis][new] for axis in "xyz")
                    if stays or rooms[0][old] is rooms[1][new]:
                        rooms[1][new] = owners[old]
            before, after = before._replace(rooms=owners), after._replace(rooms=rooms[1])
        return update_placed(self._project, before, after, origins, found, kept)

    def _as_before(self, convert: _Convert) -> Callable[[Room, Any, int], Positioned]:
        """Return what makes the objects of records in rooms where these were before."""
        game = self._before.game
        return lambda room, record, number: convert(game, self._places.get(room.number, room), record, number)

    def _sources_of(self, name: str, count: int) -> NDArray[np.int64]:
        return np.full(count, UNKNOWN) if self._sources is None else self._sources.of(name, count)

    def _in_rooms(
        self, name: str, convert: _Convert, origins: Sequence[Sequence[int]], kept: Sequence[str] = ()
    ) -> None:
        if not self._before.level.rooms or not self._after.level.rooms:
            return
        states = []
        for parts, rooms, function in (
            (self._before, self._old, self._as_before(convert)),
            (self._after, self._new, partial(convert, self._after.game)),
        ):
            lists = [getattr(room, name) for room in parts.level.rooms]
            owners = [room for room, own in zip(rooms, lists, strict=True) for _ in own]
            states.append(records(join_records(lists), owners, function))
        before, after = states
        counts = [len(getattr(room, name)) for room in self._before.level.rooms]
        joined = [
            number for numbers, count in zip(origins, counts, strict=True) for number in numbers[:count]
        ]
        sources = self._sources_of(name, len(after.rows))
        found = paired(sources, before.keys, after.keys, places_of(before.rows), places_of(after.rows))
        update_placed(self._project, before, after, joined, found, kept)

    def _cameras(self) -> dict[int, int]:
        """Write fixed cameras and currents; return the number of each by its place in the table."""
        tables = self._before.level.cameras, self._after.level.cameras
        origins = self._origin.cameras
        # Only the project and the scene know which is which: a level does not store it.
        was_sink = np.array([isinstance(self._owners[each][1], Sink) for each in origins], np.bool_)
        sources, is_sink = self._sources_of("cameras", len(tables[1])), self._after.is_sink.copy()
        if self._sources is None or self._sources.sinks is None:
            size = tables[0].dtype.itemsize
            keys = [np.ascontiguousarray(each).view(np.uint8).reshape(-1, size) for each in tables]
            places_now = places_of(tables[0]), places_of(tables[1])
            for old, new in paired(sources, keys[0], keys[1], *places_now):
                if old >= 0 and new >= 0:
                    is_sink[new] = was_sink[old]
        numbers: dict[int, int] = {}
        for sinks in (False, True):
            places = np.flatnonzero(was_sink == sinks), np.flatnonzero(is_sink == sinks)
            row_of = np.full(len(was_sink) + 2, NEW)  # the last two: unknown, new
            row_of[places[0]], row_of[UNKNOWN] = np.arange(len(places[0])), UNKNOWN
            made = self._place(
                [table[rows] for table, rows in zip(tables, places, strict=True)],
                row_of[sources[places[1]]],
                _sink if sinks else _camera,
                ("flags",) if sinks else ("room",),
                [origins[row] for row in places[0].tolist()],
                ("move_timer",),
                is_in_room=not sinks,
            )
            numbers |= {int(places[1][row]): number for row, number in made.items()}
        self._set_moves(numbers, self._before.camera_moves, self._after.camera_moves)
        return numbers

    def _set_moves(
        self, numbers: dict[int, int], before: dict[int, list[int]], after: dict[int, list[int]]
    ) -> None:
        """Write the times of moves to cameras, which triggers have in a level."""
        was = {
            self._origin.cameras[row]: moves[0]
            for row, moves in before.items()
            if row < len(self._origin.cameras)
        }
        by_number = {each.number: each for _, each in self._project.objects()}
        for row, (move, *_) in after.items():
            number = numbers.get(row)
            camera = by_number.get(-1 if number is None else number)
            if isinstance(camera, Camera) and number is not None and was.get(number) != move:
                camera.move_timer = move

    def _set_triggers(self, rooms: Sequence[Pair], numbers: Numbers) -> None:
        origin = self._origin
        flybys: dict[int, int] = {}
        if self._before.game.traits.has_flybys:
            sequences = self._before.level.flyby_cameras["sequence"].tolist()
            for sequence, number in zip(sequences, origin.flybys, strict=True):
                flybys.setdefault(int(sequence), number)
        before = Numbers(dict(enumerate(origin.entities)), dict(enumerate(origin.cameras)), flybys)
        # A sequence whose first camera is another one now is still the same.
        after = numbers._replace(
            flybys={**numbers.flybys, **{key: flybys[key] for key in flybys if key in numbers.flybys}}
        )
        changes = []
        for old, new in rooms:
            was = room_triggers(self._before.decoded, old, before).cells if old >= 0 else {}
            now = room_triggers(self._after.decoded, new, after)
            own = {(x, z): each for (z, x), each in origin.triggers[old].items()} if old >= 0 else {}
            if old >= 0 and self._offsets.get(new):
                step_x, step_z = self._offsets[new]
                was = {(x + step_x, z + step_z): each for (x, z), each in was.items()}
                own = {(x + step_x, z + step_z): each for (x, z), each in own.items()}
            changes.append(RoomChange(self._new[new], was, now.cells, own))
            for lost in now.lost:
                self._made.notes.append(
                    T("{room}: an action of a trigger has no target ({number})", room=self._new[new].name,
                      number=lost.parameter)
                )  # fmt: skip
        game, trng = self._after.game, self._after.trng
        foreign = update_triggers(changes, self._next, lambda each: is_compiled(each, game, trng=trng))
        for room, _ in foreign:
            self._made.notes.append(
                about(
                    room.name,
                    T("one action of a trigger is left out, since the editor has none such for the game"),
                )
            )

    # --- Faces ---------------------------------------------------------------------------------

    def _set_faces(self, rooms: Sequence[Pair], built: dict[int, Faces], resized: set[int]) -> None:
        now = self._built(self._new, [new for _, new in rooms])
        pages: list[tuple[RoomShape, NDArray[np.void], NDArray[np.int64]]] = []
        for old, new in rooms:
            fitted = fit_room(self._after, new, self._new[new], now[new])
            after = records_of(now[new], fitted, self._after.textures(new))
            shape = self._new[new].shape
            if old < 0 or new in resized:
                shape.faces = np.zeros(0, FACE) if old < 0 else shape.faces
                pages.append((shape, after, np.zeros(0, np.int64)))
            else:
                was = fit_room(self._before, old, self._old[old], built[old])
                before = records_of(built[old], was, self._before.textures(old))
                faces, gone = changed_faces(before, after)
                painted = after[_is_in(after["corners"], self._painted)]
                faces = np.unique(np.concatenate([faces, painted]))
                # A face that the sectors no longer have, or that does not follow them, keeps its texture.
                gone = np.intersect1d(gone, _still_built(now[new], built[old]))
                pages.append((shape, faces, gone))
                self._import_added(old, new, was.taken, fitted.taken)
            if old < 0:
                self._import(new, ~fitted.taken)
        self._put(pages)

    def _set_animations(self) -> None:
        """Write animated textures; their frames may need an image of the edited pages."""
        settings = self._project.settings

        def locate(
            corners: NDArray[np.float64],
        ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]:
            found, texture, moved = _in_images(corners, self._same)
            return found, np.where(found, texture, self._image), moved

        was, now = (animations_of(each.decoded) for each in (self._before, self._after))
        if animation_words(self._before.decoded) == animation_words(self._after.decoded):
            # Their numbers may differ, so the words may be those of others.
            was, now = ([each and each._replace(word=None) for each in every] for every in (was, now))
        origins = self._origin.animations
        if not update_animated_sets(
            settings.animated_sets, was, now, origins, locate, lambda each: _is_in(each, self._painted)
        ):
            self._made.notes.append(T("edits of animated textures of models belong to the object files"))
        frames = [frame for each in settings.animated_sets for frame in each.frames]
        self._needs_image |= any(frame.texture == self._image for frame in frames)

    def _put(self, pages: Sequence[tuple[RoomShape, NDArray[np.void], NDArray[np.int64]]]) -> None:
        """Write faces, with their corners in the project's own images, or in an image of the edited pages."""
        for shape, faces, gone in pages:
            found, texture, corners = _in_images(faces["corners"].astype(np.float64), self._same)
            faces["corners"], faces["texture"] = corners, np.where(found, texture, self._image)
            self._needs_image |= bool((~found).any())
            put_faces(shape, faces, gone)

    def _compare_areas(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the areas of pages that show what they showed before, and the others, (k, 8) each."""
        areas = np.asarray(self._origin.areas, np.int64).reshape(-1, 8)
        one, other = self._before.decoded.texels, self._after.decoded.texels
        count = min(len(one), len(other))
        differs = np.ones(max(len(one), len(other), 1), np.bool_)
        differs[:count] = (one[:count] != other[:count]).any(axis=(1, 2, 3))
        same = np.ones(len(areas), np.bool_)
        for row in np.flatnonzero(differs[areas[:, 0].clip(0, len(differs) - 1)]).tolist():
            page, x, y, width, height = areas[row, :5].tolist()
            place = page, slice(y, y + height), slice(x, x + width)
            same[row] = page < count and np.array_equal(one[place], other[place])
        return areas[same], areas[~same]

    def _add_image(self) -> None:
        """Add an image of the edited pages, if anything shows it."""
        if not self._needs_image:
            return
        name = _TEXTURE.format(self._name)
        self._made.files[name] = encode_png(
            whole_tiles(self._after.decoded, page_image(self._after.decoded)), level=6
        )
        self._project.settings.textures.append(LevelTexture(self._image, FOLDER + name, magenta=False))

    def _import_added(self, old: int, new: int, was: NDArray[np.bool_], now: NDArray[np.bool_]) -> None:
        """Import the faces that were added to a room and do not follow from its sectors.

        Those that were removed or moved are noted: they belong to model files, which stay as they are.
        """
        before, after = self._before.faces(old), self._after.faces(new)
        step = self._after.room(new).y - self._before.room(old).y
        known = _outlines(before, 0)
        added = np.array([each not in known for each in _outlines(after, step)], np.bool_).reshape(-1)
        present = set(_outlines(after, step))
        outlines = zip(_outlines(before, 0), (~was & (before.areas > 0)).tolist(), strict=True)
        gone = sum(rest and each not in present for each, rest in outlines)
        if gone:
            self._made.notes.append(
                about(
                    self._new[new].name,
                    plural(
                        "one face belongs to a model file, which stays as it is",
                        "{count} faces belong to model files, which stay as they are",
                        gone,
                    ),
                )
            )
        self._import(new, added & ~now)

    # --- Imported geometry ---------------------------------------------------------------------

    def _set_models(self) -> None:
        """Move, add and remove imported geometry."""
        if self._models is None:
            return
        present = {each.number for each in self._models}
        for number in {each.number for own in self._origin.imported for each in own} - present:
            if number in self._owners:
                room, gone = self._owners[number]
                room.objects = [each for each in room.objects if each is not gone]
        for each in self._models:
            room = self._new[each.room]
            placed = self._placed_model(each, room)
            level_room = self._after.level.rooms[each.room]
            corner = np.array(
                [level_room.x - room.x * SECTOR_SIZE, -room.y, level_room.z - room.z * SECTOR_SIZE]
            )
            uncut = self._uncut[each.room]
            cut = np.array([uncut.x - level_room.x, 0, uncut.z - level_room.z])
            put_place(placed, each.place + corner + cut)
            fits = put_turn(placed, each.turn)
            if each.is_edited or not fits:
                self._put_model(each, placed, corner)

    def _placed_model(self, found: PlacedModel, room: Room) -> ImportedGeometry:
        """Return the object of imported geometry, in its room."""
        own, source = (self._owners.get(number) for number in (found.number, found.source))
        if own is not None and isinstance(own[1], ImportedGeometry):
            if all(each is not own[1] for each in room.objects):
                own[0].objects = [each for each in own[0].objects if each is not own[1]]
                room.objects.append(own[1])
            return own[1]
        made = ImportedGeometry(self._next(), model=_NO_MODEL, lighting=_BY_VERTEX_COLORS)
        if source is not None and isinstance(source[1], ImportedGeometry):
            made = replace(source[1], number=made.number, source=None, script_id=NO_OBJECT, lua_name="")
        room.objects.append(made)
        return made

    def _put_model(self, found: PlacedModel, placed: ImportedGeometry, corner: NDArray[np.float64]) -> None:
        """Give imported geometry a new model with its faces as they are."""
        room, faces = self._new[found.room], self._whole.faces(found.room)
        height = self._whole.room(found.room).y
        which = np.zeros(len(faces), np.bool_)
        which[found.faces.quads] = True
        which[(~faces.triangle).sum() + found.faces.triangles] = True
        which &= self._whole.textures(found.room).exists & (faces.areas > 0)
        # From the corner and height of the project's room.
        points = faces.points[which] + corner + (0, height, 0)
        turn, place = linear_of(placed), np.array(placed.position)
        local = np.zeros_like(points) if not np.linalg.det(turn) else (points - place) @ np.linalg.inv(turn).T
        # The editor rounds the corners of models before it turns and moves them.
        made = put_in_room(placed, np.rint(local).reshape(-1, 3).astype(np.float32))
        if not np.array_equal(level_places(room, made), level_places(room, points.reshape(-1, 3))):
            placed.y = placed.x = placed.roll = 0.0
            placed.scale = 1.0
            x, y, z = np.rint(place).tolist()
            placed.position = (x, y, z)
            local = points - np.rint(place)
        known = {each.number: each.name for each in self._project.settings.imported_geometries}
        name = known.get(placed.model, found.name)
        placed.model, file = self._add_model(self._whole, found.room, which, name, np.rint(local))
        placed.lighting, placed.color = _BY_VERTEX_COLORS, WHITE
        level_room = self._whole.level.rooms[found.room]
        placed.sharp_edges |= has_seams(self._whole.game, level_room, faces, which)
        self._made.notes.append(
            about(found.name, T("its mesh was edited: its model is {file} now", file=file))
        )

    def _add_model(
        self,
        parts: LevelParts,
        number: int,
        faces: NDArray[np.bool_],
        name: str,
        points: NDArray[np.float64] | None = None,
    ) -> tuple[int, str]:
        """Add a model with faces of a room; return its number and its file."""
        settings, files = self._project.settings, self._made.files
        file = next(
            file for index in count(number) if (file := _MODEL.format(self._name, index)) not in files
        )
        materials, height = _MATERIALS.format(self._name), len(parts.decoded.texels) * PAGE_SIZE
        files[file] = model_of(parts, number, faces, materials, height, points)
        files[materials] = material_file(_TEXTURE.format(self._name))
        self._needs_image = True
        model = max((each.number for each in settings.imported_geometries), default=-1) + 1
        settings.imported_geometries.append(imported_model(model, name, FOLDER + file))
        return model, file

    def _import(self, new: int, wanted: NDArray[np.bool_]) -> None:
        """Add faces of a room as imported geometry with the light of their vertices."""
        faces, textures = self._after.faces(new), self._after.textures(new)
        rest = textures.exists & wanted & (faces.areas > 0)
        if not rest.any():
            return
        room = self._new[new]
        place = 0.0, float(self._after.room(new).y - room.y), 0.0
        model, _ = self._add_model(self._after, new, rest, room.name)
        sharp = has_seams(self._after.game, self._after.level.rooms[new], faces, rest)
        room.objects.append(
            ImportedGeometry(self._next(), place, model=model, lighting=_BY_VERTEX_COLORS, sharp_edges=sharp)
        )

    def _compare_light(self, rooms: Sequence[Pair]) -> None:
        """Note edited light of vertices, which the editor computes from the lights."""
        levels = self._before.level, self._after.level
        for old, new in rooms:
            if old < 0:
                continue
            was, now = levels[0].rooms[old], levels[1].rooms[new]
            if was.vertices.tobytes() == now.vertices.tobytes() or len(was.vertices) != len(now.vertices):
                continue
            moved = any((was.vertices[axis] != now.vertices[axis]).any() for axis in "xyz")
            game = self._before.game
            if not moved and not np.array_equal(vertex_light(game, was), vertex_light(game, now)):
                text = T("its vertex light is not saved, since the editor computes it from the lights")
                self._made.notes.append(about(self._new[new].name, text))

    def _compare_objects(self) -> None:
        before, after = self._before.level, self._after.level
        for name in _OBJECT_SECTIONS:
            one, other = getattr(before, name, None), getattr(after, name, None)
            if (
                one is not None
                and other is not None
                and np.asarray(one).tobytes() != np.asarray(other).tobytes()
            ):
                self._made.notes.append(
                    T("edits of models, animations and sounds belong to the object files, not to the project")
                )
                return


def _camera(_game: Game, room: Room, record: Any, number: int) -> Positioned:
    return placed.camera(room, record, number)


def _sink(_game: Game, room: Room, record: Any, number: int) -> Positioned:
    return placed.sink(room, record, number)


def _free_name(project: Project, name: str) -> str:
    """Return the start of names of new files that no file of the project has."""
    settings = project.settings
    paths = [each.path for each in settings.textures]
    paths += [each.path for each in settings.imported_geometries]
    known = [PureWindowsPath(path).name.lower() for path in paths]
    made = _EDITED.format(name)
    for number in count(1):
        found = made if number == 1 else f"{made}_{number}"
        if not any(each.startswith((f"{found.lower()}.", f"{found.lower()}_")) for each in known):
            return found
    raise AssertionError


def _still_built(now: Faces, before: Faces) -> NDArray[np.int64]:
    """Return the keys of faces that the editor builds with the same corners as before."""
    keys = [face_keys(faces.sector, faces.face) for faces in (now, before)]
    common, one, other = np.intersect1d(keys[0], keys[1], return_indices=True)
    same = (now.corners[one] == before.corners[other]).all(axis=(1, 2))
    return np.asarray(common[same])


def _outlines(faces: RoomFaces, step: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return the corners of faces in any order, raised by a number of units."""
    points = np.rint(faces.points + np.array([0, step, 0])).astype(np.int64).tolist()
    return [tuple(sorted(map(tuple, each))) for each in points]


def _starts(areas: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first pixels of areas in the image of all pages, (k, 2)."""
    return np.stack([areas[:, 1], areas[:, 2] + areas[:, 0] * PAGE_SIZE], axis=1)


def _is_in(corners: NDArray[np.floating], areas: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether faces (n, 4, 2) in the image of all pages are in one of some areas, (n,)."""
    found = np.zeros(len(corners), np.bool_)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for start, size in zip(_starts(areas), areas[:, 3:5], strict=True):
        found |= (low >= start).all(axis=1) & (high <= start + size).all(axis=1)
    return found


def _in_images(
    corners: NDArray[np.float64], areas: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]:
    """Return where corners (n, 4, 2) in the image of all pages are in the project's images.

    Args:
        corners: in pixels.
        areas: (k, 8), what pages show: page, x, y, width, height, texture, and x and y in its image.

    Returns:
        (n,) whether a face is in an image, (n,) the number of the texture, (n, 4, 2) the corners there, or
        those given.
    """
    found, texture = np.zeros(len(corners), np.bool_), np.zeros(len(corners), np.int64)
    result = corners.copy()
    low, high = corners.min(axis=1), corners.max(axis=1)
    for start, area in zip(_starts(areas), areas, strict=True):
        inside = ~found & (low >= start).all(axis=1) & (high <= start + area[3:5]).all(axis=1)
        result[inside] = corners[inside] - start + area[6:8]
        texture[inside], found[inside] = area[5], True
    return found, texture, result


def _move_area(each: object, offset: tuple[int, int]) -> None:
    """Move the sectors of a trigger or portal with those of its room."""
    area = getattr(each, "area", None)
    if area is not None:
        x0, z0, x1, z1 = area
        each.area = (x0 + offset[0], z0 + offset[1], x1 + offset[0], z1 + offset[1])  # type: ignore[attr-defined]
