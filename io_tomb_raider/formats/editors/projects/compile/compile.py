"""Compiling a project: its rooms, objects and files become a level."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints, Records
from ....base.bytes.records import FLYBY_CAMERA
from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T, about, plural
from ....base.targets import Target
from ....levels.floor.grammar import Rules
from ....levels.level.footer import TrngFooter
from ....levels.level.level import Level
from ....levels.level.level_pages import pages_of
from ....levels.rooms.rooms import Room
from ....levels.textures.textiles import decode_pages
from ..geometry.level_portals import level_portals
from ..geometry.openings import ProjectRooms
from ..light.shades import ShadedPortal, ShadedRoom, level_lights, meet_at_portals
from ..model.objects import Moveable, Static
from ..model.project import Project
from ..model.rooms import ProjectRoom
from ..model.settings import STONE, AnimatedSet, GameVersion
from ..model.usable import usable_project
from .boxes.boxes import project_paths
from .compiled import Compiled, Origin
from .objects.cinematics import cinematic_frames
from .objects.library import PlacedSlots, add_needed, add_sounds, library_contents, make_library
from .objects.placed import (
    Entities,
    LibraryContents,
    compile_cameras,
    compile_entities,
    compile_flybys,
    compile_sounds,
    compile_statics,
    put_boxes,
    room_sprites_of,
)
from .plan.log import Log, LogLine
from .plan.plan import CompileTarget, Plan, Progress, in_order, target_of
from .plan.resources import Resources
from .rooms.default_texture import shown_rooms
from .rooms.effects import vertex_effects
from .rooms.floor_data import FloorWriter, SectorTriggers
from .rooms.imported import ImportedFaces, ImportedModels, import_geometry
from .rooms.merged import MergedMeshes, merge_statics, merged_meshes, without_merged
from .rooms.mesh import (
    AddedMesh,
    MeshPart,
    RoomMesh,
    TexturedMesh,
    build_vertices,
    compile_meshes,
    mesh_parts,
    put_mesh,
    with_backs,
    with_part,
)
from .rooms.rooms import level_room
from .rooms.sectors import CompiledSectors, compile_sectors, put_materials
from .rooms.triggers import TriggerLists
from .rooms.untextured import add_placeholders, warn_of_refused
from .sounds.sounds import CatalogSounds, add_catalog_sounds, widen_sound_map
from .textures.animated import TextureAnimation, animation_origins, with_animations
from .textures.areas import TextureRequests
from .textures.extra_pages import put_extra_pages
from .textures.footsteps import footsteps
from .textures.textures import add_room_textures, level_image
from .trng import floor_data_plugins, footer_of
from .trx import page_edits_of, put_edits

_GAMES_WITH_SPRITES = (Game.TR1, Game.TR2)
_NO_BOX = -1


def compile_project(
    project: Project,
    resources: Resources,
    target: CompileTarget | None = None,
    *,
    keep_missing: bool = False,
    progress: Progress | None = None,
    listener: Callable[[LogLine], None] | None = None,
) -> Compiled:
    """Compile a project, which is not modified.

    Args:
        target: by default that of the project.
        keep_missing: keep moveables and static meshes of which no object file has the slot, and faces and
            sounds whose file is missing, so that the project can be edited.
        progress: called with the finished part, 0 to 1, and the current step.
        listener: called with each line of the log.

    Raises:
        ExportError: if the level cannot be stored in the files of the game.
        FormatError: if object files are damaged.
    """
    steps = compile_steps(project, resources, target, keep_missing=keep_missing, listener=listener)
    while True:
        try:
            step, part = next(steps)
        except StopIteration as end:
            compiled: Compiled = end.value
            return compiled
        if progress is not None:
            progress(part, step)


def compile_steps(
    project: Project,
    resources: Resources,
    target: CompileTarget | None = None,
    *,
    keep_missing: bool = False,
    listener: Callable[[LogLine], None] | None = None,
) -> Generator[tuple[str, float], None, Compiled]:
    """Compile a project step by step, see :func:`compile_project`. Yield steps and finished parts."""
    return _Compiler(project, resources, target, keep_missing, listener).run()


class _Compiler:
    """The steps of a compilation, in the order of the editor."""

    def __init__(
        self,
        project: Project,
        resources: Resources,
        target: CompileTarget | None,
        keep: bool,
        listener: Callable[[LogLine], None] | None,
    ) -> None:
        self.log = Log(listener=listener)
        project = usable_project(project, self.log.warn)
        self.settings, self.resources, self.keep = project.settings, resources, keep
        self.target = target or target_of(project.settings.game_version)
        self.game = self.target.game
        self.flybys: Records = np.zeros(0, FLYBY_CAMERA)  # those of the block of TRX
        ordered = in_order(shown_rooms(project), rearrange=project.settings.rearrange_rooms)
        self.wide = self.target.trng and project.settings.thirty_two_bit_light
        self.plan = Plan(self.target, ordered, self.log, wide=self.wide)
        self.rooms = ProjectRooms(ordered)
        self.portals = level_portals(self.rooms, ordered)
        self.origin = Origin(rooms=[room.number for room in ordered])
        self.animations: Sequence[TextureAnimation] = ()
        self.merged = MergedMeshes()
        self.picture: NDArray[np.uint8] | None = None  # the texture pages in full color
        self.sounds = CatalogSounds()
        self.plugins = np.zeros(0, np.uint8)

    def run(self) -> Generator[tuple[str, float], None, Compiled]:
        self._warn_of_version()
        yield T("Objects"), 0.0
        level = self._library()
        library = library_contents(level, self.sounds.numbers)
        if not self.keep:
            add_needed(level)
        yield T("Light and faces"), 0.15
        level_rooms = [
            level_room(self.plan, room, portals)
            for room, portals in zip(self.plan.rooms, self.portals, strict=True)
        ]
        meshes = compile_meshes(self.plan, self.rooms, self.settings.default_light_quality, wide=self.wide)
        yield T("Textures"), 0.5
        materials = self._put_meshes(level, level_rooms, meshes)
        yield T("Sectors and objects"), 0.75
        self._place(level, level_rooms, library)
        level.rooms = level_rooms
        entities = compile_entities(self.plan, library, keep=self.keep)
        level.cameras, self.origin.cameras = compile_cameras(self.plan)
        sectors, triggers = self._sectors(level, level_rooms)
        yield T("Pathfinding"), 0.85
        boxes = self._paths(level, level_rooms)
        for room, room_sectors, box, material in zip(level_rooms, sectors, boxes, materials, strict=True):
            put_materials(room_sectors.records, material, box, self.game)
            room.sectors = room_sectors.records
        self._put_entities(level, entities, boxes)
        self._finish(level)
        compiled = Compiled(level, self.origin, self.log, list(self.resources.missing))
        compiled.report(self.resources.problems, self.target.engine, sum(map(len, triggers)))
        yield "", 1.0
        return compiled

    def _warn_of_version(self) -> None:
        if self.settings.game_version == GameVersion.TOMB_ENGINE:
            self.log.warn(
                T(
                    "the project is for TombEngine: a level of {game} has no volumes, events and scripts",
                    game=self.game.name,
                )
            )

    # --- Objects ---------------------------------------------------------------------------------

    def _library(self) -> Level:
        sources = list(self.resources.objects(self.settings.wads, compiled=not self.keep))
        self.merged = merged_meshes(self.game, sources, self.settings.merged_statics, self._first_image())
        sources = without_merged(sources, self.merged.shapes.keys())
        only = (
            _placed_slots(self.plan.rooms) if self.settings.remove_unused_objects and not self.keep else None
        )
        level = make_library(self.game, sources, self.log, only, compiled=not self.keep)
        self.sounds = add_catalog_sounds(
            level, self.target, self.settings, self.plan.rooms, self.resources, self.log, quick=self.keep
        )
        add_sounds(level, sources, self.settings, self.log, self.sounds.included)
        if self.target.trng:
            widen_sound_map(level)
        return level

    def _place(self, level: Level, level_rooms: Sequence[Room], library: LibraryContents) -> None:
        """Set the static meshes and lights of all rooms, and the lists of the level without sectors."""
        for room, target_room in zip(self.plan.rooms, level_rooms, strict=True):
            statics, origins = compile_statics(self.plan, room, library, keep=self.keep)
            target_room.static_meshes = statics
            self.origin.statics.append(origins)
            lights = level_lights(self.game, room)
            target_room.lights = lights.lights
            if self.game.traits.has_room_layers:
                target_room.fog_bulbs = lights.fog_bulbs
            self.origin.lights.append([each.number for each in lights.origins])
        level.sound_sources, self.origin.sounds = compile_sounds(self.plan, library, keep=self.keep)
        flybys, origins = compile_flybys(self.plan)
        if self.target.has_flybys:
            self.origin.flybys = origins
            if self.game.traits.has_flybys:
                level.flyby_cameras = flybys
            else:
                self.flybys = flybys
        elif len(flybys):
            level.cinematic_frames = cinematic_frames(self.plan)
            self.log.info(
                plural(
                    "flyby cameras: {count} frame of a cutscene",
                    "flyby cameras: {count} frames of a cutscene",
                    len(level.cinematic_frames),
                )
            )

    def _put_entities(self, level: Level, entities: Entities, boxes: Sequence[NDArray[np.int32]]) -> None:
        level.entities, self.origin.entities = entities.entities, entities.entity_origins
        markers = entities.ai_objects
        put_boxes(self.plan, level.cameras, boxes)
        if self.game.traits.has_ai_objects:
            level.ai_objects, self.origin.ai_objects = markers, entities.ai_origins

    # --- Meshes ----------------------------------------------------------------------------------

    def _put_meshes(
        self, level: Level, level_rooms: Sequence[Room], meshes: Sequence[RoomMesh]
    ) -> list[Ints]:
        """Set textures, vertices and faces of all rooms; return the materials of their sectors, (z, x)."""
        plan = self.plan
        images = self._images() | self.merged.images
        first = max(images, default=self._first_image()) + 1
        models = ImportedModels(self.resources, self.settings.imported_geometries, first)
        added = [
            merge_statics(plan, room, self.merged, wide=self.wide)
            + import_geometry(plan, room, models, wide=self.wide)
            for room in plan.rooms
        ]
        images |= models.images
        all_meshes: list[RoomMesh] = []
        for own, additional in zip(meshes, added, strict=True):
            all_meshes += [own, *(each.mesh for each in additional)]
        if self.keep:
            add_placeholders(images, all_meshes, self.settings.animated_sets)
        if not self.game.traits.has_double_sided_faces:
            all_meshes = [with_backs(mesh) for mesh in all_meshes]
        foreign = models.images.keys() if self.settings.remap_animated_textures else ()
        textured = iter(self._textures(level, all_meshes, images, foreign))
        # For each room its own faces, and what is added.
        room_meshes, additions = [], []
        for additional in added:
            room_meshes.append(next(textured))
            additions.append([(each, next(textured)) for each in additional])
        sequences = {
            int(each["id"]): (int(each["first"]), -int(each["negative_length"]))
            for each in (level.sprite_sequences if self.game in _GAMES_WITH_SPRITES else ())
        }
        vertices, room_sprites = [], []
        parts = mesh_parts(room_meshes, with_normals=self.game.traits.has_room_layers)
        for room, part, added_meshes in zip(plan.rooms, parts, additions, strict=True):
            self.origin.imported.append(_imported_faces(part, added_meshes))
            room_vertices = build_vertices(plan, room, part, added_meshes)
            room_vertices.attributes = vertex_effects(
                plan, self.rooms, room, room_vertices.positions, room_vertices.attributes
            )
            sprites = room_sprites_of(self.game, room, sequences, self.log)
            room_vertices = with_part(room_vertices, sprites.part) if len(sprites.records) else room_vertices
            vertices.append(room_vertices)
            room_sprites.append(sprites.moved(len(room_vertices.positions)))
        self._meet(level_rooms, vertices)
        for room_, each, sprites_ in zip(level_rooms, vertices, room_sprites, strict=True):
            put_mesh(self.game, room_, each, wide=self.wide)
            room_.sprites = sprites_
            self.origin.quads.append(each.quad_origins)
            self.origin.triangles.append(each.triangle_origins)
        if not self.game.traits.has_materials:
            return [np.full(room.shape.wall.shape, STONE, np.int64) for room in plan.rooms]
        textures = [texture for texture in self.settings.textures if texture.number in images]
        materials = footsteps([room.shape for room in plan.rooms], textures)
        return [each.astype(np.int64) for each in materials]

    def _first_image(self) -> int:
        """Return the first number that no texture of the project has."""
        return max((texture.number for texture in self.settings.textures), default=-1) + 1

    def _images(self) -> dict[int, NDArray[np.uint8]]:
        """Return the images of the project's textures that could be read, by number."""
        images = {}
        for texture in self.settings.textures:
            image = self.resources.image(texture.path)
            if image is not None:
                images[texture.number] = level_image(texture, image)
        return images

    def _textures(
        self,
        level: Level,
        meshes: Sequence[RoomMesh],
        images: dict[int, NDArray[np.uint8]],
        foreign: Collection[int],
    ) -> list[TexturedMesh]:
        """Add the textures of all meshes to the level."""
        settings = self.settings
        shown, corners, parents, count, blend = (
            RoomMesh.joined_column(meshes, name) for name in ("image", "corners", "parents", "count", "blend")
        )
        requests = TextureRequests(shown, corners, parents, count == 3, blend)
        bumps = {}
        for texture in settings.textures if self.game.traits.has_bump else ():
            image = self.resources.image(texture.bump_path) if texture.bump_path else None
            if image is not None:
                bumps[texture.number] = level_image(texture, image)
        textures = add_room_textures(
            level,
            requests,
            images,
            settings.textures,
            self._animated(images),
            bump_images=bumps,
            padding=settings.padding,
            dither=settings.dither,
            largest_first=settings.aggressive_texture_packing,
            foreign=foreign,
            target=self.target.engine,
        )
        self.animations, self.picture = textures.animations, textures.picture
        self.origin.animations = animation_origins(level, textures.animations, settings.animated_sets)
        numbers = [texture.number for texture in settings.textures]
        self.origin.areas = textures.areas[np.isin(textures.areas[:, 5], numbers)]
        warn_of_refused(textures.refused, self.log)
        result, start = [], 0
        for mesh in meshes:
            rows = slice(start, start + len(mesh))
            result.append(
                TexturedMesh(mesh, textures.index[rows], textures.turn[rows], textures.as_quad[rows]).usable()
            )
            start += len(mesh)
        return result

    def _animated(self, images: Mapping[int, NDArray[np.uint8]]) -> list[AnimatedSet]:
        """Return the animated sets whose images exist."""
        complete = []
        for number, animated_set in enumerate(self.settings.animated_sets, 1):
            if all(frame.texture in images for frame in animated_set.frames):
                complete.append(animated_set)
            else:
                self.log.warn(
                    about(
                        animated_set.name.strip() or T("Animated texture {number}", number=number),
                        T("an animated texture is omitted, since its image is missing"),
                    )
                )
        return complete

    def _meet(self, level_rooms: Sequence[Room], vertices: Sequence[MeshPart]) -> None:
        """Make shades meet at portals."""
        shaded = []
        for room, level_room_, room_portals, mesh in zip(
            self.plan.rooms, level_rooms, self.portals, vertices, strict=True
        ):
            partner = self.rooms.partner(room)
            portals = [
                ShadedPortal(
                    self.plan.index[portal.room],
                    portal.vertices,
                    self.rooms.links(room).portals[portal.index].opacity,
                )
                for portal in room_portals
                if portal.room in self.plan.index
            ]
            is_alternate = self.rooms.is_alternate(room)
            shaded.append(
                ShadedRoom(
                    (level_room_.x, level_room_.z),
                    mesh.positions,
                    mesh.shades,
                    portals,
                    room.interpolation,
                    bool(level_room_.flags & 1),
                    -1 if partner is None or is_alternate else self.plan.index[partner.number],
                    is_alternate,
                    max(self.rooms.group(room), 0),
                )
            )
        meet_at_portals(shaded)
        for mesh, result in zip(vertices, shaded, strict=True):
            mesh.shades = result.packed

    # --- Sectors ---------------------------------------------------------------------------------

    def _sectors(
        self, level: Level, level_rooms: Sequence[Room]
    ) -> tuple[list[CompiledSectors], list[SectorTriggers]]:
        sectors = compile_sectors(self.plan, self.rooms)
        lists = TriggerLists(self.plan)
        triggers = [lists.of(room) for room in self.plan.rooms]
        self.origin.triggers = [{sector: order for sector, (_, order) in each.items()} for each in triggers]
        writer = FloorWriter(Rules(self.target.trng), self.settings.aggressive_floor_data_packing)
        depths = [room.shape.z_sectors for room in self.plan.rooms]
        level.floor_data = writer.write(sectors, triggers, depths)
        for room, room_sectors in zip(level_rooms, sectors, strict=True):
            room.sectors = room_sectors.records
        if self.target.trng:
            level.has_trng_footer = True
            self.plugins = floor_data_plugins(len(level.floor_data), sectors, triggers, self.plan, depths)
        return sectors, list(triggers)

    def _paths(self, level: Level, level_rooms: Sequence[Room]) -> list[NDArray[np.int32]]:
        """Set boxes, overlaps and zones; return the boxes of the sectors by room."""
        try:
            paths = project_paths(self.plan, self.rooms)
        except ExportError as error:
            self.log.warn(str(error))
            return [np.full(len(room.sectors), _NO_BOX, np.int32) for room in level_rooms]
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
            footer = with_animations(TrngFooter(), level, self.animations, self.settings.animated_sets)
            footer = footer_of(footer, self.plan, self.plugins, self.settings, self.resources)
            level.footer = np.frombuffer(footer.to_bytes(), np.uint8)
            level.has_trng_footer = True
        if self.game.traits.has_32bit_pages:
            put_extra_pages(level, self.settings, self.resources, self.log)
        if self.target.engine is Target.TRX:
            picture = self.picture
            if picture is None:
                picture = decode_pages(pages_of(level)._replace(opaque=None))
            pages = page_edits_of(picture, self.settings.trx_texture_depth, self.game)
            put_edits(level, self.plan, self.rooms, self.sounds.records, pages, self.flybys)
        if self.game.traits.has_weather:
            level.lara_type, level.weather = self.settings.tr5_lara_type, self.settings.tr5_weather


def _imported_faces(part: MeshPart, added: Sequence[tuple[AddedMesh, TexturedMesh]]) -> list[ImportedFaces]:
    """Return the faces of imported geometry in a room, after those of its own mesh."""
    quads, triangles = len(part.quads), len(part.triangles)
    result = []
    for mesh, textured in added:
        new_quads = int((textured.as_quad | (textured.mesh.count == 4)).sum())
        new_triangles = len(textured.mesh) - new_quads
        if mesh.number >= 0 and new_quads + new_triangles:
            result.append(ImportedFaces(mesh.number, quads, new_quads, triangles, new_triangles))
        quads, triangles = quads + new_quads, triangles + new_triangles
    return result


def _placed_slots(rooms: Sequence[ProjectRoom]) -> PlacedSlots:
    """Return the slots of the objects in rooms."""
    models = frozenset(each.slot for room in rooms for each in room.each(Moveable))
    statics = frozenset(each.slot for room in rooms for each in room.each(Static))
    return PlacedSlots(models, statics)
