"""Compiling a project: its rooms, objects and files become a level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T, about, plural
from ...checks.findings import Severity
from ...checks.limits import check_limits
from ...errors import ExportError
from ...floor.grammar import Rules
from ...floor.lists import FloorLists
from ...games import Game
from ...level.decoded import Decoded
from ...level.footer import ROOM_FLAGS, TrngFooter
from ...level.level import Level
from ...pathfinding.boxes import RoomGround, find_paths, room_ground
from ...rooms.rooms import Room as LevelRoom
from ..openings import ProjectRooms
from ..project import Project
from ..rooms import Room
from ..settings import GameVersion
from ..shades import ShadedPortal, ShadedRoom, level_lights, meet_at_portals
from ..shape import SectorFlag
from .library import add_sounds, known_objects, make_library
from .log import Line, Log
from .mesh import RoomMesh, RoomVertices, build_vertices, compile_meshes, put_mesh, with_backs
from .placed import (
    Entities,
    Known,
    compile_cameras,
    compile_entities,
    compile_flybys,
    compile_sounds,
    compile_statics,
    put_boxes,
)
from .plan import CompileTarget, Plan, Progress, in_order, target_of
from .resources import Resources
from .rooms import level_room
from .sectors import FloorWriter, RoomSectors, SectorTriggers, compile_sectors, put_materials
from .triggers import TriggerLists, uses_plugins

_CAN_BE_BLOCKED = 2  # of the two highest bits of boxes
_NO_BOX = -1
_ROOM_FLAG_BYTES = 8


@dataclass
class Origin:
    """Where the parts of a compiled level come from.

    Attributes:
        rooms: by room, the number of the project's room.
        quads, triangles: by room, (n, 2) sector and face of each face; -1 for merged static meshes and
            imported geometry.
        entities, ai_objects, cameras, flybys, sounds: the numbers of their objects in the project.
        statics, lights: the same by room; of lights the game's list, then its fog bulbs.
        triggers: by room and sector (z, x), the numbers of the triggers in order.
    """

    rooms: list[int] = field(default_factory=list)
    quads: list[NDArray[np.int64]] = field(default_factory=list)
    triangles: list[NDArray[np.int64]] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)
    ai_objects: list[int] = field(default_factory=list)
    cameras: list[int] = field(default_factory=list)
    flybys: list[int] = field(default_factory=list)
    sounds: list[int] = field(default_factory=list)
    statics: list[list[int]] = field(default_factory=list)
    lights: list[list[int]] = field(default_factory=list)
    triggers: list[dict[tuple[int, int], tuple[int, ...]]] = field(default_factory=list)


@dataclass
class Compiled:
    """A compiled project.

    Attributes:
        level: the level.
        origin: where its parts come from.
        log: lines with counts and warnings.
    """

    level: Level
    origin: Origin
    log: Log


def compile_project(
    project: Project,
    resources: Resources,
    target: CompileTarget | None = None,
    *,
    keep_missing: bool = False,
    progress: Progress | None = None,
    listener: Callable[[Line], None] | None = None,
) -> Compiled:
    """Compile a project.

    Args:
        project: the project; it is not modified.
        resources: its files.
        target: by default that of the project.
        keep_missing: keep moveables and static meshes of which no object file has the slot, and faces and
            sounds whose file is missing, so that the project can be edited.
        progress: called with the finished part, 0 to 1, and the current step.
        listener: called with each line of the log.

    Raises:
        ExportError: if the level cannot be stored in the files of the game.
        FormatError: if object files are damaged.
    """
    compiler = _Compiler(project, resources, target, keep_missing, progress, listener)
    return compiler.run()


class _Compiler:
    """The steps of a compilation, in the order of the editor."""

    def __init__(
        self,
        project: Project,
        resources: Resources,
        target: CompileTarget | None,
        keep: bool,
        progress: Progress | None,
        listener: Callable[[Line], None] | None,
    ) -> None:
        self.settings, self.resources, self.keep = project.settings, resources, keep
        self.progress = progress or (lambda part, step: None)
        self.log = Log(listener=listener)
        self.target = target or target_of(project.settings.game_version)
        self.game = self.target.game
        ordered = in_order(project.rooms, rearrange=project.settings.rearrange_rooms)
        self.plan = Plan(self.target, ordered, self.log)
        self.rooms = ProjectRooms(ordered)
        self.origin = Origin(rooms=[room.number for room in ordered])
        self.wide = self.target.trng and self.settings.thirty_two_bit_light

    def run(self) -> Compiled:
        self._warn_of_version()
        self.progress(0.0, T("Objects"))
        level = self._library()
        known = known_objects(level)
        self.progress(0.15, T("Light and faces"))
        made = [level_room(self.plan, self.rooms, room) for room in self.plan.rooms]
        meshes = compile_meshes(self.plan, self.rooms, self.settings.default_light_quality, wide=self.wide)
        self.progress(0.5, T("Textures"))
        materials = self._put_meshes(level, made, meshes)
        self.progress(0.75, T("Sectors and objects"))
        self._place(level, made, known)
        level.rooms = made
        entities = compile_entities(self.plan, known, keep=self.keep)
        level.cameras, self.origin.cameras = compile_cameras(self.plan)
        sectors, triggers = self._sectors(level, made)
        self.progress(0.85, T("Pathfinding"))
        boxes = self._paths(level, made)
        for room, own, box, material in zip(made, sectors, boxes, materials, strict=True):
            put_materials(own.records, material, box, self.game)
            room.sectors = own.records
        self._put_entities(level, entities, boxes)
        self._finish(level)
        self._report(level, triggers)
        self.progress(1.0, "")
        return Compiled(level, self.origin, self.log)

    def _warn_of_version(self) -> None:
        if self.settings.game_version == GameVersion.TOMB_ENGINE:
            self.log.warn(
                T("the project is for TombEngine: volumes, events and scripts have no place in a level of {game}",
                  game=self.game.name)
            )  # fmt: skip
        if self.target.trng and uses_plugins(self.plan.rooms):
            self.log.warn(T("triggers of TRNG's plugins lose the number of their plugin"))

    # --- Objects ---------------------------------------------------------------------------------

    def _library(self) -> Level:
        sources = list(self.resources.objects(self.settings.wads))
        level = make_library(self.game, sources, self.log)
        add_sounds(level, sources, self.settings, self.log)
        return level

    def _place(self, level: Level, made: Sequence[LevelRoom], known: Known) -> None:
        """Set the static meshes and lights of all rooms, and the lists of the level without sectors."""
        merged = {each.slot for each in self.settings.merged_statics}
        for room, level_room_ in zip(self.plan.rooms, made, strict=True):
            statics, origins = compile_statics(self.plan, room, known, merged, keep=self.keep)
            level_room_.static_meshes = statics
            self.origin.statics.append(origins)
            lights = level_lights(self.game, room)
            level_room_.lights = lights.lights
            if self.game.traits.has_room_layers:
                level_room_.fog_bulbs = lights.fog_bulbs
            self.origin.lights.append([each.number for each in lights.origins])
        level.sound_sources, self.origin.sounds = compile_sounds(self.plan, known, keep=self.keep)
        flybys, origins = compile_flybys(self.plan)
        if self.game.traits.has_flybys:
            level.flyby_cameras, self.origin.flybys = flybys, origins
        elif len(flybys):
            self.log.warn(T("{game} has no flyby cameras: they are omitted", game=self.game.name))

    def _put_entities(self, level: Level, entities: Entities, boxes: Sequence[NDArray[np.int32]]) -> None:
        level.entities, self.origin.entities = entities.entities, entities.entity_origins
        markers = entities.ai_objects
        put_boxes(self.plan, level.cameras, markers, entities.ai_origins, boxes)
        if self.game.traits.has_ai_objects:
            level.ai_objects, self.origin.ai_objects = markers, entities.ai_origins

    # --- Meshes ----------------------------------------------------------------------------------

    def _put_meshes(
        self, level: Level, made: Sequence[LevelRoom], meshes: Sequence[RoomMesh]
    ) -> list[NDArray[np.int64]]:
        """Set textures, vertices and faces of all rooms; return the materials of their sectors, (z, x)."""
        if not self.game.traits.has_double_sided_faces:
            meshes = [with_backs(mesh) for mesh in meshes]
        indices = self._textures(level, meshes)
        vertices = []
        for room, mesh, (index, rotation, usable) in zip(self.plan.rooms, meshes, indices, strict=True):
            rows = np.flatnonzero(usable)
            vertices.append(build_vertices(self.plan, room, mesh.take(rows), index[rows], rotation[rows], ()))
        self._meet(made, vertices)
        for room, each in zip(made, vertices, strict=True):
            put_mesh(self.game, room, each, wide=self.wide)
            self.origin.quads.append(each.quad_origins)
            self.origin.triangles.append(each.triangle_origins)
        return [np.full(room.shape.wall.shape, 6) for room in self.plan.rooms]

    def _textures(self, level: Level, meshes: Sequence[RoomMesh]) -> list[tuple[Any, Any, Any]]:
        return [(np.zeros(len(m), np.int64), np.zeros(len(m), np.int64), np.ones(len(m), bool)) for m in meshes]

    def _meet(self, made: Sequence[LevelRoom], vertices: Sequence[RoomVertices]) -> None:
        """Make shades meet at portals."""
        shaded = []
        for room, level_room_, each in zip(self.plan.rooms, made, vertices, strict=True):
            partner = self.rooms.partner(room)
            portals = [
                ShadedPortal(
                    self.plan.index[portal.room],
                    portal.vertices,
                    self.rooms.links(room).portals[portal.index].opacity,
                )
                for portal in self.rooms.level_portals(room)
                if portal.room in self.plan.index
            ]
            is_alternate = self.rooms.is_alternate(room)
            shaded.append(
                ShadedRoom(
                    (level_room_.x, level_room_.z),
                    each.places,
                    each.packed,
                    portals,
                    room.interpolation,
                    bool(level_room_.flags & 1),
                    -1 if partner is None or is_alternate else self.plan.index[partner.number],
                    is_alternate,
                    max(self.rooms.group(room), 0),
                )
            )
        meet_at_portals(shaded)
        for each, own in zip(vertices, shaded, strict=True):
            each.packed = own.packed

    # --- Sectors ---------------------------------------------------------------------------------

    def _sectors(
        self, level: Level, made: Sequence[LevelRoom]
    ) -> tuple[list[RoomSectors], list[SectorTriggers]]:
        sectors = [compile_sectors(self.plan, self.rooms, room) for room in self.plan.rooms]
        lists = TriggerLists(self.plan)
        triggers = [lists.of(room) for room in self.plan.rooms]
        self.origin.triggers = [
            {place: order for place, (_, order) in each.items()} for each in triggers
        ]
        writer = FloorWriter(Rules(self.target.trng), self.settings.aggressive_floor_data_packing)
        depths = [room.shape.z_sectors for room in self.plan.rooms]
        level.floor_data = writer.write(sectors, triggers, depths)
        for room, own in zip(made, sectors, strict=True):
            room.sectors = own.records
        if self.target.trng:
            level.has_trng_footer = True
        return sectors, list(triggers)

    def _paths(self, level: Level, made: Sequence[LevelRoom]) -> list[NDArray[np.int32]]:
        """Set boxes, overlaps and zones; return the boxes of the sectors by room."""
        lists = FloorLists.read(level)
        grounds, blockable = [], []
        for room, level_room_ in zip(self.plan.rooms, made, strict=True):
            ground = room_ground(level_room_, lists.of(level_room_.sectors["floor_data"]), self.game)
            flags = np.ascontiguousarray(room.shape.flags.T).reshape(-1)
            _exclude(ground, room, flags)
            grounds.append(ground)
            is_box = flags & SectorFlag.BOX != 0
            blockable.append(np.where(is_box, _CAN_BE_BLOCKED, 0).astype(np.uint8))
        try:
            paths = find_paths(self.game, grounds, blockable)
        except ExportError as error:
            self.log.warn(str(error))
            return [np.full(len(room.sectors), _NO_BOX, np.int32) for room in made]
        level.boxes, level.overlaps, level.zones = paths.boxes, paths.overlaps, paths.zones
        if paths.outside:
            self.log.warn(
                plural(
                    "one sector is too far from the origin of the level for enemies to go there",
                    "{count} sectors are too far from the origin of the level for enemies to go there",
                    paths.outside,
                )
            )
        return list(paths.sector_boxes)

    # --- The end ---------------------------------------------------------------------------------

    def _finish(self, level: Level) -> None:
        if self.target.trng:
            level.footer = np.frombuffer(self._footer().to_bytes(), np.uint8)
            level.has_trng_footer = True
        if self.game is Game.TR5:
            level.lara_type, level.weather = self.settings.tr5_lara_type, self.settings.tr5_weather

    def _footer(self) -> TrngFooter:
        """Return the footer of TRNG: the strength of rain and snow of each room."""
        rows = b"".join(
            bytes([room.kind_strength & 0xFF]) + bytes(_ROOM_FLAG_BYTES - 1) for room in self.plan.rooms
        )
        return TrngFooter().with_chunk(ROOM_FLAGS, len(self.plan.rooms).to_bytes(2, "little") + rows)

    def _report(self, level: Level, triggers: Sequence[SectorTriggers]) -> None:
        for problem in self.resources.problems:
            self.log.warn(problem)
        for missing in self.resources.missing:
            self.log.warn(about(missing.path, T("the file was not found ({use})", use=missing.use)))
        for finding in check_limits(Decoded(level, self.target.engine)):
            if finding.severity is not Severity.INFO:
                self.log.warn(finding.text)
        faces = sum(len(room.quads) + len(room.triangles) for room in level.rooms)
        self.log.info(plural("{count} room", "{count} rooms", len(level.rooms)))
        self.log.info(plural("{count} face", "{count} faces", faces))
        self.log.info(plural("{count} entity", "{count} entities", len(level.entities)))
        self.log.info(plural("{count} box", "{count} boxes", len(level.boxes)))
        placed = sum(map(len, triggers))
        self.log.info(plural("{count} sector with triggers", "{count} sectors with triggers", placed))


def _exclude(ground: RoomGround, room: Room, flags: NDArray[np.int64]) -> None:
    """Close the sectors that enemies must not enter, for pathfinding."""
    closed = np.full(len(flags), True) if room.no_pathfinding else flags & SectorFlag.NOT_WALKABLE != 0
    if closed.any():
        ground.sectors.wall = ground.sectors.wall | closed
