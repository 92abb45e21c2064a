"""Edits of a level written into the project that it was compiled from.

The level as it was compiled and as it is now are both converted to a project, and only the differences are
written. Values that a level rounds or does not store keep the project's own value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....base.arrays.typing import Bools, Floats, Ints, Records
from ....base.messages import T, about, plural
from ....base.targets import Target
from ....edits.rules.limits import target_of
from ....levels.textures.png import encode_png
from ....levels.views.decoded import Decoded
from ..compile.compiled import Compiled
from ..from_level.from_level import FOLDER, fit_room, records_of
from ..from_level.rooms.animated import animation_words, animations_of, whole_tiles
from ..from_level.rooms.faces import LevelFaces
from ..from_level.rooms.light import vertex_light
from ..from_level.rooms.parts import LevelParts
from ..from_level.rooms.textures import level_textures, page_image
from ..from_level.triggers import ObjectNumbers, room_triggers
from ..geometry.faces import Faces
from ..geometry.geometry import room_faces
from ..geometry.openings import ProjectRooms
from ..model.objects import ProjectPortal
from ..model.parameters import is_compiled
from ..model.project import Project
from ..model.rooms import ProjectRoom
from ..model.settings import LevelTexture
from ..model.shape import FACE, RoomShape, SectorFlag, face_keys
from .animated import update_animated_sets
from .faces import changed_faces, in_images, is_in, put_faces
from .imported import PlacedModel
from .models import TEXTURE, ModelUpdate
from .objects import ObjectUpdate
from .portals import update_portals
from .shapes import raised, resized_shape, update_shape
from .sources import UNKNOWN, Pair, Sources, keys_of, paired, unchanged_rooms
from .state import State, Updated
from .triggers import RoomChange, update_triggers

_ROOM_VALUES = (
    "ambient", "cold", "damage", "horizon", "outside", "no_lens_flare", "kind", "reverb", "effect",
)  # fmt: skip
# Sections of objects, which stay in their own files.
_OBJECT_SECTIONS = ("mesh_data", "models", "animations", "frames", "static_meshes", "samples")

_FOR_ENEMIES = int(SectorFlag.BOX | SectorFlag.NOT_WALKABLE)


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
        name: the name of files next to the project, without suffix.
        models: the imported geometry of the edited level; None if its faces are a part of the rooms' meshes.
        sources: the sources of the edited level's parts; by default found by content.
    """
    return _Update(project, compiled, edited, name, models, sources).run()


class _Update(State):
    def run(self) -> Updated:
        rooms = self._pair_rooms()
        self._same, self._painted = self._compare_areas()
        self._unchanged = unchanged_rooms(self.before, self.after, rooms)
        touched = {new for old, new in rooms if old < 0 or self._is_touched(old, new)}
        built = self._built(self.old, [old for old, new in rooms if old >= 0 and new in touched])
        self._set_rooms(rooms)
        resized = self._set_shapes(rooms)
        self._set_portals()
        numbers = ObjectUpdate(self).run()
        self.skip_used_numbers()
        self._set_triggers(rooms, numbers)
        added = [new for old, new in rooms if old < 0]
        self.after.raise_walls(self.new, added)
        models = ModelUpdate(self)
        models.run()
        self._set_faces([pair for pair in rooms if pair[1] in touched], built, resized, models)
        self._set_animations()
        self._add_image()
        self._compare_light(rooms)
        self._compare_objects()
        return self.result

    # --- Rooms ---------------------------------------------------------------------------------

    def _pair_rooms(self) -> list[Pair]:
        """Match rooms; add and remove rooms of the project."""
        pairs = self._room_pairs()
        new: dict[int, ProjectRoom] = {}
        free = max((room.number for room in self.project.rooms), default=-1)
        for before, after in pairs:
            if after < 0:
                self._remove(self.old[before])
            elif before < 0:
                free += 1
                room = self.after.room(after)
                room.number, room.alternate = free, None
                self._copy_marks(after, room)
                self.project.rooms.append(room)
                new[after] = room
            else:
                new[after] = self.old[before]
        self.new = [new[index] for index in range(len(self.after.level.rooms))]
        return [pair for pair in pairs if pair[1] >= 0]

    def _room_pairs(self) -> list[Pair]:
        levels = self.before.level.rooms, self.after.level.rooms
        keys = [
            keys_of(
                b"%d %d " % (room.x, room.z) + room.sectors.tobytes() + room.vertices.tobytes()
                for room in each
            )
            for each in levels
        ]
        positions = [
            np.array([(r.x, r.z, r.y_bottom, r.x_sectors, r.z_sectors) for r in each], np.float64).reshape(
                -1, 5
            )
            for each in levels
        ]
        unknown = np.full(len(levels[1]), UNKNOWN)
        sources = unknown if self.sources is None else self.sources.rooms
        return paired(sources, keys[0], keys[1], positions[0], positions[1])

    def _copy_marks(self, number: int, room: ProjectRoom) -> None:
        """Give a copy of a room the author's marks for enemies."""
        source = -1 if self.sources is None else self.sources.copied_rooms.get(number, -1)
        if not 0 <= source < len(self.old):
            return
        original = self.old[source]
        room.no_pathfinding = original.no_pathfinding
        if original.shape.flags.shape == room.shape.flags.shape:
            room.shape.flags |= original.shape.flags & _FOR_ENEMIES

    def _remove(self, removed: ProjectRoom) -> None:
        """Remove a room, and the portals to it."""
        self.project.rooms.remove(removed)
        for room in self.project.rooms:
            room.objects = [
                each
                for each in room.objects
                if not (isinstance(each, ProjectPortal) and each.room == removed.number)
            ]
            if room.alternate is not None and room.alternate[1] == removed.number:
                room.alternate = None

    def _is_touched(self, old: int, new: int) -> bool:
        """Return whether the faces or the sectors of a room differ."""
        before, after = self.before, self.after
        level_before, level_after = before.level.rooms[old], after.level.rooms[new]
        if any(
            getattr(level_before, name).tobytes() != getattr(level_after, name).tobytes()
            for name in ("vertices", "quads", "triangles")
        ):
            return True
        corners, corners_after = (each.decoded.once(level_textures)[1] for each in (before, after))
        if len(self._painted) or not np.array_equal(corners, corners_after):
            if not np.array_equal(before.textures(old).corners, after.textures(new).corners):
                return True
            if is_in(after.textures(new).corners, self._painted).any():
                return True
        if new in self._unchanged:
            return False
        old_room, new_room = before.room(old), after.room(new)
        return bool(
            old_room.y != new_room.y
            or old_room.shape.wall.shape != new_room.shape.wall.shape
            or (old_room.shape.floor.heights != new_room.shape.floor.heights).any()
            or (old_room.shape.ceiling.heights != new_room.shape.ceiling.heights).any()
            or (old_room.shape.wall != new_room.shape.wall).any()
        )

    def _built(self, rooms: Sequence[ProjectRoom], numbers: Sequence[int]) -> dict[int, Faces]:
        """Return the faces that the editor builds in some rooms now."""
        project = ProjectRooms(rooms)
        return {number: room_faces(project, rooms[number]) for number in numbers}

    def _set_rooms(self, rooms: Sequence[Pair]) -> None:
        for old, new in rooms:
            if old < 0 or new in self._unchanged:
                continue
            before, after, room = self.before.room(old), self.after.room(new), self.old[old]
            for name in _ROOM_VALUES:
                if getattr(before, name) != getattr(after, name):
                    setattr(room, name, getattr(after, name))
            room.x, room.z = room.x + after.x - before.x, room.z + after.z - before.z
        for old, new in rooms:
            pair = self._pair_of(self.after, new, self.new)
            if old < 0 or pair != self._pair_of(self.before, old, self.old):
                self.new[new].alternate = pair

    def _pair_of(
        self, parts: LevelParts, number: int, rooms: Sequence[ProjectRoom]
    ) -> tuple[int, int] | None:
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
            if old < 0 or new in self._unchanged:
                continue
            before, after, room = self.before.room(old), self.after.room(new), self.old[old]
            step = after.y - before.y
            # A level's room begins at its lowest floor, that of a project at any height.
            height = before.y - room.y
            if before.shape.wall.shape != after.shape.wall.shape:
                room.y += step
                offset = before.x - after.x, before.z - after.z
                room.shape = resized_shape(
                    raised(room.shape, -step),
                    raised(before.shape, height - step),
                    raised(after.shape, height),
                    offset,
                )
                for each in room.objects:
                    _move_area(each, offset)
                self.offsets[new] = offset
                resized.add(new)
                continue
            update_shape(room.shape, raised(before.shape, height), raised(after.shape, height + step))
            was_kept, is_kept = self.before.blockable(old), self.after.blockable(new)
            room.shape.flags[(was_kept == 0) & (is_kept == 1)] |= int(SectorFlag.BOX)
            room.shape.flags[(was_kept == 1) & (is_kept == 0)] &= ~int(SectorFlag.BOX)
        return resized

    # --- Portals -------------------------------------------------------------------------------

    def _set_portals(self) -> None:
        """Write the portals, and note those that a project cannot have."""
        lost = update_portals(self.project, (self.before, self.old), (self.after, self.new), self.next_number)
        for each in lost:
            room = self.new[each.room]
            names = [room.name for room in self.new]
            self.result.notes.append(about(room.name, each.text(room, names)))

    def _set_triggers(self, rooms: Sequence[Pair], numbers: ObjectNumbers) -> None:
        origin = self.origin
        flybys: dict[int, int] = {}
        sequences = self.before.decoded.flybys["sequence"].tolist()
        for sequence, number in zip(sequences, origin.flybys, strict=True):
            flybys.setdefault(int(sequence), number)
        before = ObjectNumbers(dict(enumerate(origin.entities)), dict(enumerate(origin.cameras)), flybys)
        # A sequence whose first camera is another one now is still the same.
        after = numbers._replace(
            flybys={**numbers.flybys, **{key: flybys[key] for key in flybys if key in numbers.flybys}}
        )
        changes = []
        for old, new in rooms:
            cells_before = room_triggers(self.before.decoded, old, before).cells if old >= 0 else {}
            triggers = room_triggers(self.after.decoded, new, after)
            origins = {(x, z): each for (z, x), each in origin.triggers[old].items()} if old >= 0 else {}
            if old >= 0 and self.offsets.get(new):
                step_x, step_z = self.offsets[new]
                cells_before = {(x + step_x, z + step_z): each for (x, z), each in cells_before.items()}
                origins = {(x + step_x, z + step_z): each for (x, z), each in origins.items()}
            changes.append(RoomChange(self.new[new], cells_before, triggers.cells, origins))
            for lost in triggers.lost:
                self.result.notes.append(
                    T("{room}: an action of a trigger has no target ({number})", room=self.new[new].name,
                      number=lost.parameter)
                )  # fmt: skip
        game, trng = self.after.game, self.after.trng
        trx = target_of(self.after.decoded) is Target.TRX
        foreign = update_triggers(
            changes, self.next_number, lambda each: is_compiled(each, game, trng=trng, trx=trx)
        )
        for room, _ in foreign:
            self.result.notes.append(
                about(
                    room.name,
                    T("one action of a trigger is left out, since the editor has none such for the game"),
                )
            )

    # --- Faces ---------------------------------------------------------------------------------

    def _set_faces(
        self, rooms: Sequence[Pair], built: dict[int, Faces], resized: set[int], models: ModelUpdate
    ) -> None:
        built_after = self._built(self.new, [new for _, new in rooms])
        pages: list[tuple[RoomShape, Records, Ints]] = []
        for old, new in rooms:
            fitted = fit_room(self.after, new, self.new[new], built_after[new])
            after = records_of(built_after[new], fitted, self.after.textures(new))
            shape = self.new[new].shape
            if old < 0 or new in resized:
                shape.faces = np.zeros(0, FACE) if old < 0 else shape.faces
                pages.append((shape, after, np.zeros(0, np.int64)))
            else:
                fitted_before = fit_room(self.before, old, self.old[old], built[old])
                before = records_of(built[old], fitted_before, self.before.textures(old))
                faces, removed = changed_faces(before, after)
                painted = after[is_in(after["corners"], self._painted)]
                faces = np.unique(np.concatenate([faces, painted]))
                # A face that the sectors no longer have, or that does not follow them, keeps its texture.
                removed = np.intersect1d(removed, _still_built(built_after[new], built[old]))
                pages.append((shape, faces, removed))
                models.add(new, self._added(old, new, fitted_before.taken, fitted.taken))
            if old < 0:
                models.add(new, ~fitted.taken)
        self._put(pages)

    def _set_animations(self) -> None:
        """Write animated textures; their frames may need an image of the edited pages."""
        settings = self.project.settings

        def locate(corners: Floats) -> tuple[Bools, Ints, Floats]:
            exists, texture, located = in_images(corners, self._same)
            return exists, np.where(exists, texture, self.image), located

        before, after = (animations_of(each.decoded) for each in (self.before, self.after))
        if animation_words(self.before.decoded) == animation_words(self.after.decoded):
            # Their numbers may differ, so the words may be those of others.
            before, after = (
                [each and each._replace(word=None) for each in animations] for animations in (before, after)
            )
        origins = self.origin.animations
        if not update_animated_sets(
            settings.animated_sets,
            before,
            after,
            origins,
            locate,
            lambda each: is_in(each, self._painted),
        ):
            self.result.notes.append(T("edits of animated textures of models belong to the object files"))
        frames = [frame for each in settings.animated_sets for frame in each.frames]
        self.needs_image |= any(frame.texture == self.image for frame in frames)

    def _put(self, pages: Sequence[tuple[RoomShape, Records, Ints]]) -> None:
        """Write faces, with their corners in the project's own images, or in an image of the edited pages."""
        for shape, faces, removed in pages:
            exists, texture, corners = in_images(faces["corners"].astype(np.float64), self._same)
            faces["corners"], faces["texture"] = corners, np.where(exists, texture, self.image)
            self.needs_image |= bool((~exists).any())
            put_faces(shape, faces, removed)

    def _compare_areas(self) -> tuple[Ints, Ints]:
        """Return the areas of pages with the same pixels as before, and the others, (k, 8) each."""
        areas = np.asarray(self.origin.areas, np.int64).reshape(-1, 8)
        pages_before, pages_after = self.before.decoded.texels, self.after.decoded.texels
        count = min(len(pages_before), len(pages_after))
        differs = np.ones(max(len(pages_before), len(pages_after), 1), np.bool_)
        differs[:count] = (pages_before[:count] != pages_after[:count]).any(axis=(1, 2, 3))
        same = np.ones(len(areas), np.bool_)
        for row in np.flatnonzero(differs[areas[:, 0].clip(0, len(differs) - 1)]).tolist():
            page, x, y, width, height = areas[row, :5].tolist()
            area = page, slice(y, y + height), slice(x, x + width)
            same[row] = page < count and np.array_equal(pages_before[area], pages_after[area])
        return areas[same], areas[~same]

    def _add_image(self) -> None:
        """Add an image of the edited pages, if anything shows it."""
        if not self.needs_image:
            return
        name = TEXTURE.format(self.name)
        self.result.files[name] = encode_png(
            whole_tiles(self.after.decoded, page_image(self.after.decoded)), level=6
        )
        self.project.settings.textures.append(LevelTexture(self.image, FOLDER + name, magenta=False))

    def _added(self, old: int, new: int, shown_before: Bools, shown_after: Bools) -> Bools:
        """Return which faces were added to a room and do not follow from its sectors.

        Those that were removed or moved are noted: they belong to model files, which stay as they are.
        """
        before, after = self.before.faces(old), self.after.faces(new)
        step = self.after.room(new).y - self.before.room(old).y
        outlines_before = _outlines(before, 0)
        added = np.array([each not in outlines_before for each in _outlines(after, step)], np.bool_).reshape(
            -1
        )
        present = set(_outlines(after, step))
        outlines = zip(_outlines(before, 0), (~shown_before & (before.areas > 0)).tolist(), strict=True)
        removed = sum(rest and each not in present for each, rest in outlines)
        if removed:
            self.result.notes.append(
                about(
                    self.new[new].name,
                    plural(
                        "one face belongs to a model file, which stays as it is",
                        "{count} faces belong to model files, which stay as they are",
                        removed,
                    ),
                )
            )
        return added & ~shown_after

    def _compare_light(self, rooms: Sequence[Pair]) -> None:
        """Note edited light of vertices, which the editor computes from the lights."""
        levels = self.before.level, self.after.level
        for old, new in rooms:
            if old < 0:
                continue
            before, after = levels[0].rooms[old], levels[1].rooms[new]
            if before.vertices.tobytes() == after.vertices.tobytes() or len(before.vertices) != len(
                after.vertices
            ):
                continue
            moved = any((before.vertices[axis] != after.vertices[axis]).any() for axis in "xyz")
            game = self.before.game
            if not moved and not np.array_equal(vertex_light(game, before), vertex_light(game, after)):
                text = T("its vertex light is not saved, since the editor computes it from the lights")
                self.result.notes.append(about(self.new[new].name, text))

    def _compare_objects(self) -> None:
        before, after = self.before.level, self.after.level
        for name in _OBJECT_SECTIONS:
            old, new = getattr(before, name, None), getattr(after, name, None)
            if old is not None and new is not None and np.asarray(old).tobytes() != np.asarray(new).tobytes():
                self.result.notes.append(
                    T("edits of models, animations and sounds belong to the object files, not to the project")
                )
                return


def _still_built(after: Faces, before: Faces) -> Ints:
    """Return the keys of faces that the editor builds with the same corners as before."""
    keys = [face_keys(faces.sector, faces.face) for faces in (after, before)]
    common, row, row_before = np.intersect1d(keys[0], keys[1], return_indices=True)
    same = (after.corners[row] == before.corners[row_before]).all(axis=(1, 2))
    return np.asarray(common[same])


def _outlines(faces: LevelFaces, step: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return the corners of faces in any order, raised by a number of units."""
    points = np.rint(faces.points + np.array([0, step, 0])).astype(np.int64).tolist()
    return [tuple(sorted(map(tuple, each))) for each in points]


def _move_area(each: object, offset: tuple[int, int]) -> None:
    """Move the sectors of a trigger or portal with those of its room."""
    area = getattr(each, "area", None)
    if area is not None:
        x0, z0, x1, z1 = area
        each.area = (x0 + offset[0], z0 + offset[1], x1 + offset[0], z1 + offset[1])  # type: ignore[attr-defined]
