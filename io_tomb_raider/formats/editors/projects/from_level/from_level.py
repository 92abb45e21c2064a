"""A level as a project.

Sectors, portals, triggers and objects become those of the editor. A face that follows from the sectors gets
its texture there; all others become imported geometry. Models stay in the level, which the project names as
its object file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from ....base.arrays.typing import Bools, Floats, Records
from ....base.games import Game
from ....base.targets import Target
from ....levels.lights.lights import is_placeholder
from ....levels.textures.png import encode_png
from ....levels.textures.textiles import PAGE_SIZE
from ....levels.views.decoded import Decoded
from ..compile.sounds.catalogs import write_catalog
from ..geometry.faces import Faces
from ..geometry.geometry import room_faces
from ..geometry.openings import ProjectRooms
from ..model.objects import ImportedGeometry, Positioned
from ..model.project import Project
from ..model.rooms import ProjectRoom
from ..model.settings import GameVersion, LevelTexture, Settings
from ..model.shape import FACE, Face
from .lost import lost_values
from .models import ModelFaces, imported_model, material_file, model_file
from .rooms import placed
from .rooms.animated import animated_sets, whole_tiles
from .rooms.fit import Fitted, fit
from .rooms.light import differing, effect_lights, has_seams, uneven_rooms, vertex_light
from .rooms.order import in_order
from .rooms.parts import LevelParts
from .rooms.portals import LostPortal, add_portals
from .rooms.textures import LevelFaceTextures, TileVotes, bump_votes, footstep_votes, page_image
from .sounds import LevelCatalog, level_catalog
from .triggers import LostAction, ObjectNumbers, add_triggers, room_triggers, without_foreign

ENDINGS = {Game.TR1: "phd", Game.TR2: "tr2", Game.TR3: "tr2", Game.TR4: "tr4", Game.TR5: "trc"}
_TRX_VERSIONS = {Game.TR1: GameVersion.TR1X, Game.TR2: GameVersion.TR2X}
_NOT_INTERPOLATED = 2
FOLDER = "$(LevelDirectory)\\"  # of the project, in paths
_TEXTURE, _GEOMETRY, _MATERIALS = "{}_textures.png", "{}_room_{:03}.obj", "{}_rooms.mtl"
_CATALOG, _SAMPLES = "{}_sounds.xml", "{}_samples"
_BY_VERTEX_COLORS = 1
_ADDITIVE = 2
_LARGEST = 32  # sectors on a side of a room that the editor recommends
_FLOORS = (Face.FLOOR, Face.FLOOR_TRIANGLE_2)


@dataclass
class RoomReport:
    """The conversion of a room: numbers, and losses."""

    name: str
    faces: int = 0
    editor_faces: int = 0  #: the faces that the editor builds from the sectors.
    sectors: int = 0
    lost_sectors: int = 0  #: the sectors that the editor cannot have.
    portals: list[LostPortal] = field(default_factory=list)  #: the portals that could not be placed.
    #: the numbers of rooms to which walls lead up as they cannot in a project.
    ladders: list[int] = field(default_factory=list)
    lost_alternate: int | None = None  #: its alternate room, if a project cannot have it as that.
    lost_values: list[str] = field(default_factory=list)  #: what its objects lose, in words.
    is_large: bool = False  #: it has more sectors on a side than the editor recommends.
    #: actions of triggers that a project cannot have.
    lost_actions: list[LostAction] = field(default_factory=list)

    @property
    def percent(self) -> int:
        """The share of faces that the editor builds."""
        return 100 * self.editor_faces // self.faces if self.faces else 100


@dataclass
class FromLevel:
    """A project made from a level."""

    project: Project
    #: the files next to it, by name: textures, models, the sound catalog, and samples in a folder, as
    #: "folder/name".
    files: dict[str, bytes]
    rooms: list[RoomReport]
    #: the numbers of sounds that no sound catalog can have.
    lost_sounds: list[int] = field(default_factory=list)


def project_of(
    decoded: Decoded,
    name: str,
    objects: str = "",
    room_names: Sequence[str] = (),
    *,
    keep_light: bool = True,
    sinks: Bools | None = None,
    sound_name: Callable[[int], str] = "Sound {}".format,
) -> FromLevel:
    """Return a level as a project.

    Args:
        name: the name of the project's files, without suffix.
        objects: the path of the level, which has the models.
        room_names: the names of the rooms, if they are known.
        keep_light: keep the light of vertices, by effect lights. Otherwise, the lights of the level shine on
            rooms, too.
        sinks: (cameras,) bool, which entries of the table of cameras are currents; found by default.
        sound_name: returns the name of a sound by its number.

    Raises:
        FormatError: if data of the level is damaged.
    """
    result = _Converter(LevelParts(decoded, room_names, sinks=sinks), name, objects, keep_light).convert()
    catalog = level_catalog(decoded, name)
    _add_sounds(result, catalog, name, sound_name)
    return result


def _add_sounds(
    result: FromLevel, catalog: LevelCatalog, name: str, sound_name: Callable[[int], str]
) -> None:
    """Add a sound catalog with its samples to a project."""
    settings = result.project.settings
    settings.selected_sounds, result.lost_sounds = catalog.selected, catalog.lost
    if not catalog.sounds:
        return
    settings.catalogs = [FOLDER + _CATALOG.format(name)]
    result.files[_CATALOG.format(name)] = write_catalog(
        catalog.sounds, lambda number: sound_name(number) if number in catalog.selected else "Unused"
    )
    if not catalog.files:
        return
    folder = _SAMPLES.format(name)
    result.files |= {f"{folder}/{each}": content for each, content in catalog.files.items()}
    settings.sample_directories = [FOLDER + folder, *settings.sample_directories]
    settings.custom_sample_rate_enabled = True
    settings.custom_sample_rate = catalog.rate


class _Converter:
    def __init__(self, parts: LevelParts, name: str, objects: str, keep_light: bool) -> None:
        self._parts, self._game = parts, parts.game
        self._name, self._objects, self._keep_light = name, objects, keep_light
        self._next: Callable[[], int] = count().__next__
        self._uneven = uneven_rooms(self._game, parts.level.rooms) if keep_light else set()

    def convert(self) -> FromLevel:
        parts = self._parts
        numbers = range(len(parts.level.rooms))
        rooms = [parts.room(number) for number in numbers]
        reports = [RoomReport(room.name, sectors=room.shape.wall.size) for room in rooms]
        values = lost_values(parts)
        for number, report in enumerate(reports):
            report.lost_values = values.get(number, [])
            report.lost_sectors = parts.lost_sectors(number)
            report.lost_alternate = parts.lost_alternate(number)
            report.is_large = max(rooms[number].shape.wall.shape) > _LARGEST
        for lost in add_portals(rooms, parts.ways, parts.alternates, self._next):
            reports[lost.room].portals.append(lost)
        parts.set_strengths(rooms)
        parts.raise_walls(rooms, numbers)
        for number_below, number_above in parts.lost_ladders(rooms):
            if number_above not in reports[number_below].ladders:
                reports[number_below].ladders.append(number_above)
        settings = self._settings()
        trx = settings.game_version in _TRX_VERSIONS.values()
        files = self._faces(rooms, settings, reports)
        objects = self._objects_of(rooms)
        for number, room in enumerate(rooms):
            triggers = room_triggers(parts.decoded, number, objects)
            triggers = without_foreign(triggers, number, self._game, trng=parts.trng, trx=trx)
            add_triggers(room, triggers.cells, self._next)
            reports[number].lost_actions = triggers.lost
        return FromLevel(Project(settings, rooms), files, reports)

    def _settings(self) -> Settings:
        version = int(self._game)
        if self._parts.trng:
            version = GameVersion.TRNG
        elif self._parts.decoded.target is Target.TRX:
            version = _TRX_VERSIONS.get(self._game, version)
        settings = Settings(
            game_version=version, level_path=f"{FOLDER}{self._name}_new.{ENDINGS[self._game]}"
        )
        settings.dither = False  # the pictures have the colors of 16 bits already
        settings.wads = [self._objects] if self._objects else []
        return settings

    # --- Faces ---------------------------------------------------------------------------------

    def _faces(
        self, rooms: Sequence[ProjectRoom], settings: Settings, reports: Sequence[RoomReport]
    ) -> dict[str, bytes]:
        """Texture the faces of all rooms; return the files with their textures and with other faces."""
        parts = self._parts
        image = whole_tiles(parts.decoded, page_image(parts.decoded))
        settings.animated_sets = animated_sets(parts.decoded)
        files = {_TEXTURE.format(self._name): encode_png(image, level=6)}
        steps, bumps = footstep_votes(len(image)), bump_votes(len(image))
        project = ProjectRooms(rooms)
        for number, room in enumerate(rooms):
            faces, textures = parts.faces(number), parts.textures(number)
            built = room_faces(project, room)
            fitted = fit_room(parts, number, room, built)
            if self._keep_light:
                fitted = self._alike(number, fitted)
            shown = textures.exists & (faces.areas > 0)
            fitted = fitted.only(in_order(faces, shown, built, fitted))
            room.shape.faces = records_of(built, fitted, textures)
            self._vote(number, room, built, fitted, steps)
            bumps.add(textures.corners[textures.exists], textures.bump[textures.exists].clip(0, 3))
            self._light(number, room, fitted.taken)
            reports[number].faces = int(shown.sum())
            reports[number].editor_faces = int((shown & fitted.taken).sum())
            rest = shown & ~fitted.taken
            if rest.any():
                files |= self._import(number, room, rest, settings, len(image))
        settings.textures = [
            LevelTexture(
                0, FOLDER + _TEXTURE.format(self._name), magenta=False, footsteps=steps.grid, bumps=bumps.grid
            )
        ]
        if settings.imported_geometries:
            files[_MATERIALS.format(self._name)] = material_file(_TEXTURE.format(self._name))
        return files

    def _vote(self, number: int, room: ProjectRoom, built: Faces, fitted: Fitted, steps: TileVotes) -> None:
        if not self._game.traits.has_materials:
            return
        material = self._parts.decoded.sectors.material[self._parts.rows(number)]
        floors = np.isin(built.face[fitted.part], _FLOORS)
        z, x = np.divmod(built.sector[fitted.part[floors]], room.shape.x_sectors)
        steps.add(fitted.corners[floors], material[x * room.shape.z_sectors + z])

    def _alike(self, number: int, fitted: Fitted) -> Fitted:
        """Return the fitted faces without those whose light differs from that of others at their corners."""
        faces = self._parts.faces(number)
        colors = vertex_light(self._game, self._parts.level.rooms[number])[faces.corners]
        rows = np.flatnonzero(fitted.taken)
        used = np.ones((len(rows), 4), np.bool_)
        used[faces.triangle[rows], 3] = False
        taken = fitted.taken.copy()
        taken[rows[differing(np.rint(faces.points[rows]), colors[rows], used)]] = False
        return fitted.only(taken)

    def _light(self, number: int, room: ProjectRoom, taken: Bools) -> None:
        """Keep the light of the vertices of the editor's faces."""
        if not self._keep_light:
            return
        if number in self._uneven:
            room.interpolation = _NOT_INTERPOLATED
        faces = self._parts.faces(number)
        colors = vertex_light(self._game, self._parts.level.rooms[number])
        used = np.ones(faces.corners.shape, np.bool_)
        used[faces.triangle, 3] = False
        used &= taken[:, None]
        points = np.rint(faces.points[used])
        room.objects += effect_lights(points, colors[faces.corners[used]], room.ambient, self._next)

    def _import(
        self, number: int, room: ProjectRoom, rest: Bools, settings: Settings, height: int
    ) -> dict[str, bytes]:
        """Add faces as imported geometry, and return its file."""
        name = _GEOMETRY.format(self._name, number)
        content = model_of(self._parts, number, rest, _MATERIALS.format(self._name), height)
        model = len(settings.imported_geometries)
        settings.imported_geometries.append(imported_model(model, room.name, FOLDER + name))
        sharp = has_seams(self._game, self._parts.level.rooms[number], self._parts.faces(number), rest)
        room.objects.append(
            ImportedGeometry(self._next(), model=model, lighting=_BY_VERTEX_COLORS, sharp_edges=sharp)
        )
        return {name: content}

    # --- Objects -------------------------------------------------------------------------------

    def _objects_of(self, rooms: Sequence[ProjectRoom]) -> ObjectNumbers:
        parts, level, game = self._parts, self._parts.level, self._game
        entities: dict[int, int] = {}
        for index, record in enumerate(level.entities):
            room = _room_at(rooms, int(record["room"]))
            entities[index] = self._add(room, placed.moveable(game, room, record, self._next()))
        for record in level.ai_objects if game.traits.has_ai_objects else ():
            room = _room_at(rooms, int(record["room"]))
            self._add(room, placed.ai_object(room, record, self._next()))
        for room, level_room in zip(rooms, level.rooms, strict=True):
            for record in level_room.static_meshes:
                self._add(room, placed.static(game, room, record, self._next(), trng=parts.trng))
            for record in (*level_room.lights, *level_room.fog_bulbs):
                self._add_light(room, record)
        cameras = self._cameras(rooms)
        flybys: dict[int, int] = {}
        for record in parts.decoded.flybys:
            room = _room_at(rooms, int(record["room"]))
            number = self._add(room, placed.flyby(room, record, self._next()))
            flybys.setdefault(int(record["sequence"]), number)
        for number, record in zip(parts.rooms_of(level.sound_sources), level.sound_sources, strict=True):
            self._add(rooms[number], placed.sound_source(rooms[number], record, self._next()))
        self._sprites(rooms)
        return ObjectNumbers(entities, cameras, flybys)

    def _add(self, room: ProjectRoom, obj: Positioned) -> int:
        room.objects.append(obj)
        return obj.number

    def _add_light(self, room: ProjectRoom, record: np.void) -> None:
        if is_placeholder(record):  # TR5 has one for every fog bulb
            return
        light = placed.light(self._game, room, record, self._next())
        light.static = light.imported_geometry = not self._keep_light
        self._add(room, light)

    def _cameras(self, rooms: Sequence[ProjectRoom]) -> dict[int, int]:
        parts, result = self._parts, {}
        sinks = parts.level.cameras[parts.is_sink]
        owners = iter(parts.rooms_of(sinks, sinks["flags"]))
        for index, (record, is_sink) in enumerate(zip(parts.level.cameras, parts.is_sink, strict=True)):
            if is_sink:
                room = rooms[next(owners)]
                result[index] = self._add(room, placed.sink(room, record, self._next()))
            else:
                room = _room_at(rooms, int(record["room"]))
                camera = placed.camera(room, record, self._next())
                camera.move_timer = parts.camera_moves.get(index, [0])[0]
                result[index] = self._add(room, camera)
        return result

    def _sprites(self, rooms: Sequence[ProjectRoom]) -> None:
        """Add the sprites of rooms, which the editor knows for TR1 and TR2."""
        level = self._parts.level
        if self._game.traits.has_color_light:
            return
        sequences = [
            (int(record["first"]), int(record["id"]), -int(record["negative_length"]))
            for record in level.sprite_sequences
        ]
        for room, level_room in zip(rooms, level.rooms, strict=True):
            for record in level_room.sprites:
                texture, vertex = int(record["texture"]), int(record["vertex"])
                owners = (
                    (slot, texture - first) for first, slot, size in sequences if 0 <= texture - first < size
                )
                owner = next(owners, None)
                if owner is not None and vertex < len(level_room.vertices):
                    sprite = placed.sprite(
                        self._game, room, level_room.vertices[vertex], *owner, self._next()
                    )
                    self._add(room, sprite)


def _room_at(rooms: Sequence[ProjectRoom], number: int) -> ProjectRoom:
    return rooms[number] if 0 <= number < len(rooms) else rooms[0]


def fit_room(parts: LevelParts, number: int, room: ProjectRoom, built: Faces) -> Fitted:
    """Find the textures of a project's faces in a room of a level.

    `room`: of the project; its height may differ. `built`: the faces that the editor builds.
    """
    points = built.corners.astype(np.float64)
    points[..., 1] += room.y - parts.room(number).y
    sectors = np.stack(np.divmod(built.sector, room.shape.x_sectors), axis=1)
    textures = parts.textures(number)
    faces = parts.faces(number)
    light = vertex_light(parts.game, parts.level.rooms[number])[faces.corners]
    return fit(faces, textures.corners, points, sectors, built.face, textures.exists, light)


def records_of(built: Faces, fitted: Fitted, textures: LevelFaceTextures) -> Records:
    """Return the textured faces of a room, with corners in the image of all pages."""
    records = np.zeros(len(fitted.part), FACE)
    records["sector"], records["face"] = built.sector[fitted.part], built.face[fitted.part]
    records["corners"] = fitted.corners
    records["blend"] = textures.blend[fitted.whole]
    records["double_sided"] = textures.double_sided[fitted.whole] | fitted.double_sided
    return records[np.lexsort((records["face"], records["sector"]))]


def model_of(
    parts: LevelParts, number: int, rest: Bools, materials: str, height: int, points: Floats | None = None
) -> bytes:
    """Return faces of a room as a model.

    Args:
        rest: (n,) bool, the faces.
        materials: the name of the material library.
        height: the height of the image in pixels.
        points: (k, 4, 3), the corners of these faces in the model; by default their positions in the room.
    """
    faces, textures = parts.faces(number), parts.textures(number)
    colors = vertex_light(parts.game, parts.level.rooms[number])
    model = ModelFaces(
        faces.points[rest] if points is None else points,
        faces.triangle[rest],
        colors[faces.corners[rest]],
        textures.corners[rest],
        textures.blend[rest] == _ADDITIVE,
        textures.double_sided[rest],
    )
    return model_file(model, materials, (PAGE_SIZE, height))
