"""A level as a project.

Sectors, portals, triggers and objects become those of the editor. A face that follows from the sectors gets
its texture there; all others become imported geometry. Models stay in the level, which the project names as
its object file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ...cameras.fixed import find_sinks
from ...collision.sectors import take_sectors
from ...floor.extra import EXTRA_MOVE
from ...floor.functions import ActionType, Trigger
from ...floor.lists import camera_uses
from ...games import Game
from ...level.decoded import Decoded
from ...rooms.portals import same_places
from ...rooms.rooms import WATER
from ...rooms.rooms import Room as LevelRoom
from ...targets import Target
from ...textures.png import encode_png
from ..geometry import room_faces
from ..objects import Direction, ImportedGeometry, Opacity, Portal, Positioned
from ..openings import SECTOR, ProjectRooms
from ..project import GameVersion, LevelTexture, Project, Settings
from ..rooms import LightEffect, Room, RoomType
from ..shape import FACE, Face, SectorFlag, Side
from . import placed
from .faces import RoomFaces, faces_of, wall_parts
from .fit import Fitted, fit
from .light import ambient_light, effect_lights, vertex_light
from .models import ModelFaces, imported_model, material_file, model_file
from .portals import Ways, add_portals, find_ways
from .shapes import shape_of
from .textures import FaceTextures, TileVotes, bump_votes, footstep_votes, page_image, textures_of
from .triggers import LostAction, Numbers, add_triggers, room_triggers
from .walls import SIDES, Opening, edge, raise_walls

_QUICKSAND = {Game.TR1: 0x80, Game.TR2: 0x80, Game.TR3: 0x80, Game.TR4: 0x04, Game.TR5: 0x04}
_HORIZON, _OUTSIDE, _NO_LENS_FLARE = 0x08, 0x20, 0x80
_DAMAGE, _SNOW, _RAIN, _COLD = 0x10, 0x400, 0x800, 0x1000  # TRNG
_LIGHT_MODES = {0: LightEffect.DEFAULT, 1: LightEffect.MOVEMENT, 2: LightEffect.GLOW, 3: LightEffect.BOTH}
_NOT_INTERPOLATED = 2
_ALONE = 0x8000  # of a box's overlap: enemies can be kept out
_FOLDER = "$(LevelDirectory)\\"
_TEXTURE, _GEOMETRY, _MATERIALS = "{}_textures.png", "{}_room_{:03}.obj", "{}_rooms.mtl"
_BY_VERTEX_COLORS = 1


@dataclass
class RoomReport:
    """What became of a room.

    Attributes:
        name: its name.
        faces: its number of faces.
        editor_faces: those that the editor builds from the sectors.
        sectors: its number of sectors.
        lost_sectors: those that the editor cannot have.
        portals: the numbers of rooms whose portal could not be placed.
        lost_actions: actions of triggers without a target.
    """

    name: str
    faces: int = 0
    editor_faces: int = 0
    sectors: int = 0
    lost_sectors: int = 0
    portals: list[int] = field(default_factory=list)
    lost_actions: list[LostAction] = field(default_factory=list)

    @property
    def percent(self) -> int:
        """The share of faces that the editor builds."""
        return 100 * self.editor_faces // self.faces if self.faces else 100


@dataclass
class FromLevel:
    """A project made from a level.

    Attributes:
        project: the project.
        files: the files beside it, by name: textures and models.
        rooms: what became of each room.
    """

    project: Project
    files: dict[str, bytes]
    rooms: list[RoomReport]


def project_of(
    decoded: Decoded, name: str, objects: str = "", room_names: Sequence[str] = (), *, keep_light: bool = True
) -> FromLevel:
    """Return a level as a project.

    Args:
        decoded: the level.
        name: of the project's files, without ending.
        objects: the path of the level, which has the models.
        room_names: of the rooms, if they are known.
        keep_light: keep the light of vertices, by effect lights. Otherwise, the lights of the level shine on
            rooms, too.
    """
    return _Maker(decoded, name, objects, room_names, keep_light).made()


class _Maker:
    def __init__(
        self, decoded: Decoded, name: str, objects: str, room_names: Sequence[str], keep_light: bool
    ) -> None:
        self._decoded, self._level, self._game = decoded, decoded.level, decoded.level.game
        self._name, self._objects, self._keep_light = name, objects, keep_light
        self._counter = count()
        self._trng = bool(self._level.has_trng_footer)
        self._names = [
            room_names[number] if number < len(room_names) else f"Room {number:03}"
            for number in range(len(self._level.rooms))
        ]
        self._base = same_places(self._level.rooms)
        self._alternates = {
            int(base): number for number, base in enumerate(self._base.tolist()) if base != number
        }

    def _next(self) -> int:
        return next(self._counter)

    def made(self) -> FromLevel:
        level = self._level
        reports = [RoomReport(name) for name in self._names]
        rooms = [self._room(number, report) for number, report in enumerate(reports)]
        faces = [faces_of(self._game, room, made.y) for room, made in zip(level.rooms, rooms, strict=True)]
        self._portals(rooms, reports)
        behind = self._behind(rooms)
        for number, room in enumerate(rooms):
            raise_walls(room.shape, wall_parts(faces[number]), behind[number])
        settings = self._settings()
        files = self._faces(rooms, faces, settings, reports)
        numbers = self._objects_of(rooms)
        for number, room in enumerate(rooms):
            found = room_triggers(self._decoded, number, numbers)
            add_triggers(room, found.cells, self._next)
            reports[number].lost_actions = found.lost
        return FromLevel(Project(settings, rooms), files, reports)

    # --- Rooms ---------------------------------------------------------------------------------

    def _room(self, number: int, report: RoomReport) -> Room:
        room = self._level.rooms[number]
        rows = self._rows(number)
        sectors = take_sectors(self._decoded.sectors, rows)
        is_open = ~sectors.wall
        lowest = int(self._decoded.floor_bottom[rows][is_open].max()) if is_open.any() else room.y_bottom
        shaped = shape_of(sectors, room.x_sectors, room.z_sectors, -lowest)
        report.sectors, report.lost_sectors = len(sectors.wall), int(shaped.is_lost.sum())
        self._mark_boxes(number, shaped.shape.flags)
        made = Room(number, self._names[number], room.x // SECTOR, -lowest, room.z // SECTOR, shaped.shape)
        made.ambient = ambient_light(self._game, room)
        self._set_flags(room, made)
        if self._keep_light:
            made.interpolation = _NOT_INTERPOLATED
        if number in self._alternates:
            group = int(room.alternate_group) if self._game.traits.has_flip_groups else 0
            made.alternate = group, self._alternates[number]
        return made

    def _rows(self, number: int) -> slice:
        starts = self._decoded.grid.starts
        return slice(int(starts[number]), int(starts[number + 1]))

    def _mark_boxes(self, number: int, flags: NDArray[np.int64]) -> None:
        """Mark the sectors of boxes from which enemies can be kept out, and those without a box."""
        boxes = self._level.boxes
        if not len(boxes):
            return
        z_sectors = self._level.rooms[number].z_sectors
        rows = self._rows(number)
        box = self._decoded.sectors.box[rows]
        known = (box >= 0) & (box < len(boxes))
        alone = known & (boxes["overlap"][np.where(known, box, 0)] & _ALONE != 0)
        for place in np.flatnonzero(alone).tolist():
            x, z = divmod(place, z_sectors)
            flags[z, x] |= int(SectorFlag.BOX)

    def _set_flags(self, room: LevelRoom, made: Room) -> None:
        flags, traits = int(room.flags), self._game.traits
        if flags & WATER:
            made.kind = RoomType.WATER
        elif flags & _QUICKSAND[self._game]:
            made.kind = RoomType.QUICKSAND
        elif self._trng and flags & (_RAIN | _SNOW):
            made.kind = RoomType.RAIN if flags & _RAIN else RoomType.SNOW
        made.horizon, made.outside = bool(flags & _HORIZON), bool(flags & _OUTSIDE)
        if traits.has_light_ranges:
            made.no_lens_flare = bool(flags & _NO_LENS_FLARE)
        if self._trng:
            made.damage, made.cold = bool(flags & _DAMAGE), bool(flags & _COLD)
        if room.has("reverb"):
            made.reverb = int(room.reverb)
        if room.has("light_mode"):
            made.effect = _LIGHT_MODES.get(int(room.light_mode), LightEffect.DEFAULT)

    # --- Portals -------------------------------------------------------------------------------

    def _portals(self, rooms: Sequence[Room], reports: Sequence[RoomReport]) -> None:
        ways = find_ways(self._decoded)
        lost = add_portals(rooms, ways, self._alternates, self._next, lambda *_: False)
        for room, _, other in lost:
            reports[room].portals.append(other)
        self._set_strengths(rooms, ways)

    def _set_strengths(self, rooms: Sequence[Room], ways: Ways) -> None:
        """Set how strong water moves and shines, by the water schemes."""
        if not self._game.traits.has_reverb:
            return
        for number, room in enumerate(rooms):
            scheme = int(self._level.rooms[number].water_scheme)
            if room.kind in (RoomType.WATER, RoomType.QUICKSAND):
                continue
            below = [
                way.other
                for way in ways.seen
                if way.room == self._base[number]
                and way.direction == 0
                and rooms[way.other].kind in (RoomType.WATER, RoomType.QUICKSAND)
            ]
            if below:
                strength = min(max(scheme - 1, 0) // 4, 4)
                rooms[below[0]].effect_strength = strength
                room.effect_strength = min(max(scheme - 4 * strength, 0), 4)
            else:
                room.effect, room.effect_strength = LightEffect.NONE, min(scheme // 5, 4)

    def _behind(self, rooms: Sequence[Room]) -> list[dict[tuple[int, int], Opening]]:
        """Return for each room what is behind the wall portals of its border sectors."""
        project = ProjectRooms(rooms)
        found: list[dict[tuple[int, int], Opening]] = []
        for room in rooms:
            own: dict[tuple[int, int], Opening] = {}
            for behind in project.behind(room):
                if behind.room is None or behind.portal.opacity == Opacity.SOLID_FACES:
                    continue
                corners = _inner_corners(behind.portal)
                for sector, other in zip(behind.sectors.tolist(), behind.others.tolist(), strict=True):
                    if other < 0:
                        continue
                    place = divmod(other, behind.room.shape.x_sectors)
                    step = behind.room.y - room.y
                    floor, ceiling = (
                        edge(surface, place, corners)
                        for surface in (behind.room.shape.floor, behind.room.shape.ceiling)
                    )
                    own[divmod(sector, room.shape.x_sectors)] = Opening(
                        (floor[0] + step, floor[1] + step), (ceiling[0] + step, ceiling[1] + step)
                    )
            found.append(own)
        return found

    # --- Faces ---------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        game = self._game
        version = int(game)
        if self._trng:
            version = GameVersion.TRNG
        elif self._decoded.target is Target.TRX and game in (Game.TR1, Game.TR2):
            version = GameVersion.TR1X if game is Game.TR1 else GameVersion.TR2X
        ending = {Game.TR1: "phd", Game.TR2: "tr2", Game.TR3: "tr2", Game.TR4: "tr4", Game.TR5: "trc"}[game]
        settings = Settings(game_version=version, level_path=f"{_FOLDER}{self._name}_new.{ending}")
        settings.wads = [self._objects] if self._objects else []
        settings.selected_sounds = np.flatnonzero(self._level.sound_map >= 0).tolist()
        return settings

    def _faces(
        self,
        rooms: Sequence[Room],
        faces: Sequence[RoomFaces],
        settings: Settings,
        reports: Sequence[RoomReport],
    ) -> dict[str, bytes]:
        image = page_image(self._decoded)
        height = len(image)
        files = {_TEXTURE.format(self._name): encode_png(image, level=6)}
        steps, bumps = footstep_votes(height), bump_votes(height)
        project = ProjectRooms(rooms)
        for number, (room, own) in enumerate(zip(rooms, faces, strict=True)):
            textures = textures_of(self._decoded, own)
            built = room_faces(project, room)
            sector = np.stack(np.divmod(built.sector, room.shape.x_sectors), axis=1)
            fitted = fit(
                own, textures.corners, built.corners.astype(np.float64), sector, built.face, textures.exists
            )
            room.shape.faces = _records(built.sector, built.face, fitted, textures)
            self._vote(number, built.sector, built.face, fitted, room, steps)
            bumps.add(textures.corners[textures.exists], textures.bump[textures.exists].clip(0, 3))
            rest = textures.exists & ~fitted.taken & (own.areas > 0)
            reports[number].faces = int(textures.exists.sum())
            reports[number].editor_faces = int((textures.exists & fitted.taken).sum())
            self._light(number, room, own, fitted.taken)
            if rest.any():
                files |= self._import(number, room, own, textures, rest, settings, height)
        settings.textures = [
            LevelTexture(
                0,
                _FOLDER + _TEXTURE.format(self._name),
                magenta=False,
                footsteps=steps.grid,
                bumps=bumps.grid,
            )
        ]
        if settings.imported_geometries:
            files[_MATERIALS.format(self._name)] = material_file(_TEXTURE.format(self._name))
        return files

    def _vote(
        self,
        number: int,
        sectors: NDArray[np.int64],
        faces: NDArray[np.int64],
        fitted: Fitted,
        room: Room,
        steps: TileVotes,
    ) -> None:
        if not self._game.traits.has_materials:
            return
        material = self._decoded.sectors.material[self._rows(number)]
        floors = np.isin(faces[fitted.part], (Face.FLOOR, Face.FLOOR_TRIANGLE_2))
        z, x = np.divmod(sectors[fitted.part[floors]], room.shape.x_sectors)
        steps.add(fitted.corners[floors], material[x * room.shape.z_sectors + z])

    def _light(self, number: int, room: Room, faces: RoomFaces, taken: NDArray[np.bool_]) -> None:
        """Keep the light of the vertices of the editor's faces."""
        if not self._keep_light:
            return
        colors = vertex_light(self._game, self._level.rooms[number])
        used = np.ones(faces.corners.shape, np.bool_)
        used[faces.triangle, 3] = False
        used &= taken[:, None]
        points = np.rint(faces.points[used])
        room.objects += effect_lights(points, colors[faces.corners[used]], room.ambient, self._next)

    def _import(
        self,
        number: int,
        room: Room,
        faces: RoomFaces,
        textures: FaceTextures,
        rest: NDArray[np.bool_],
        settings: Settings,
        height: int,
    ) -> dict[str, bytes]:
        """Add the other faces as imported geometry, and return its file."""
        colors = vertex_light(self._game, self._level.rooms[number])
        name = _GEOMETRY.format(self._name, number)
        content = model_file(
            ModelFaces(
                faces.points[rest],
                faces.triangle[rest],
                colors[faces.corners[rest]],
                textures.corners[rest],
                textures.blend[rest] == 2,
                textures.double_sided[rest],
            ),
            _MATERIALS.format(self._name),
            (256, height),
        )
        model = len(settings.imported_geometries)
        settings.imported_geometries.append(imported_model(model, room.name, _FOLDER + name))
        room.objects.append(
            ImportedGeometry(self._next(), model=model, lighting=_BY_VERTEX_COLORS, sharp_edges=False)
        )
        return {name: content}

    # --- Objects -------------------------------------------------------------------------------

    def _objects_of(self, rooms: Sequence[Room]) -> Numbers:
        level, game = self._level, self._game
        entities: dict[int, int] = {}
        for index, record in enumerate(level.entities):
            room = self._known(rooms, int(record["room"]))
            entities[index] = self._add(room, placed.moveable(game, room, record, self._next()))
        if game.traits.has_ai_objects:
            for record in level.ai_objects:
                room = self._known(rooms, int(record["room"]))
                self._add(room, placed.ai_object(room, record, self._next()))
        for number, level_room in enumerate(level.rooms):
            room = rooms[number]
            for record in level_room.static_meshes:
                self._add(room, placed.static(game, room, record, self._next(), trng=self._trng))
            for records in (level_room.lights, level_room.fog_bulbs):
                for record in records:
                    self._add_light(room, record)
        cameras = self._cameras(rooms)
        flybys: dict[int, int] = {}
        if game.traits.has_flybys:
            for record in level.flyby_cameras:
                room = self._known(rooms, int(record["room"]))
                number = self._add(room, placed.flyby(room, record, self._next()))
                flybys.setdefault(int(record["sequence"]), number)
        for record in level.sound_sources:
            room = self._room_at(rooms, record)
            self._add(room, placed.sound_source(room, record, self._next()))
        self._sprites(rooms)
        return Numbers(entities, cameras, flybys)

    def _add(self, room: Room, obj: Positioned) -> int:
        room.objects.append(obj)
        return obj.number

    def _add_light(self, room: Room, record: np.void) -> None:
        if placed.is_filler(record):
            return
        made = placed.light(self._game, room, record, self._next())
        made.static = made.imported_geometry = not self._keep_light
        self._add(room, made)

    def _cameras(self, rooms: Sequence[Room]) -> dict[int, int]:
        level = self._level
        cameras, sinks = camera_uses(self._decoded.floor_lists.with_triggers())
        is_sink = find_sinks(level, cameras, sinks)
        moves = self._moves()
        found: dict[int, int] = {}
        for index, record in enumerate(level.cameras):
            if is_sink[index]:
                room = self._room_at(rooms, record)
                found[index] = self._add(room, placed.sink(room, record, self._next()))
            else:
                room = self._known(rooms, int(record["room"]))
                made = placed.camera(room, record, self._next())
                made.move_timer = moves.get(index, 0)
                found[index] = self._add(room, made)
        return found

    def _moves(self) -> dict[int, int]:
        """Return the speed of the move to each camera, from the triggers."""
        found: dict[int, int] = {}
        for functions in self._decoded.floor_lists.with_triggers():
            for function in functions:
                for action in function.actions if isinstance(function, Trigger) else ():
                    if action.type == ActionType.CAMERA and action.extra is not None:
                        found.setdefault(action.parameter, EXTRA_MOVE.of(action.extra))
        return found

    def _sprites(self, rooms: Sequence[Room]) -> None:
        level = self._level
        if self._game.traits.has_color_light:
            return
        starts = [
            (int(record["first"]), int(record["id"]), -int(record["negative_length"]))
            for record in level.sprite_sequences
        ]
        for number, level_room in enumerate(level.rooms):
            for record in level_room.sprites:
                texture = int(record["texture"])
                owner = next(
                    (
                        (slot, texture - first)
                        for first, slot, size in starts
                        if first <= texture < first + size
                    ),
                    None,
                )
                if owner is not None and int(record["vertex"]) < len(level_room.vertices):
                    vertex = level_room.vertices[int(record["vertex"])]
                    room = rooms[number]
                    self._add(room, placed.sprite(self._game, room, vertex, *owner, self._next()))

    def _known(self, rooms: Sequence[Room], number: int) -> Room:
        return rooms[number] if 0 <= number < len(rooms) else rooms[0]

    def _room_at(self, rooms: Sequence[Room], record: np.void) -> Room:
        """Return the room at the position of a record that does not name its room."""
        place = np.array([[int(record["x"])], [int(record["z"])]])
        candidates = [int(base) for base in np.unique(self._base)]
        inside = [
            number
            for number in candidates
            if self._decoded.sector_at(np.array([number]), place[0], place[1])[0] >= 0
        ]
        y = int(record["y"])
        at = [
            number
            for number in inside
            if self._level.rooms[number].y_top <= y <= self._level.rooms[number].y_bottom
        ]
        return rooms[(at or inside or candidates)[0]]


def _inner_corners(portal: Portal) -> tuple[int, int]:
    """Return the corners of the sector behind a portal, in the order of the border's inner side."""
    # The border's inner side looks back into the room; the sector behind touches the same line.
    side = {
        Direction.POSITIVE_Z: Side.NEGATIVE_Z,
        Direction.NEGATIVE_Z: Side.POSITIVE_Z,
        Direction.POSITIVE_X: Side.NEGATIVE_X,
        Direction.NEGATIVE_X: Side.POSITIVE_X,
    }[Direction(portal.direction)]
    return SIDES[side][0]


def _records(
    sectors: NDArray[np.int64], numbers: NDArray[np.int64], fitted: Fitted, textures: FaceTextures
) -> NDArray[np.void]:
    """Return the textured faces of a room as a project stores them."""
    records = np.zeros(len(fitted.part), FACE)
    records["sector"], records["face"] = sectors[fitted.part], numbers[fitted.part]
    records["corners"] = fitted.corners
    records["blend"] = textures.blend[fitted.whole]
    records["double_sided"] = textures.double_sided[fitted.whole] | fitted.double_sided
    order = np.lexsort((records["face"], records["sector"]))
    return records[order]
