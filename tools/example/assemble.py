"""Assembly of the example: the project is compiled, and its rooms get their faces and light."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.plan.paths import ProjectPaths
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources
from io_tomb_raider.formats.editors.projects.compile.rooms.mesh import (
    NO_ORIGIN,
    RoomMesh,
    TexturedMesh,
    mesh_parts,
    put_mesh,
)
from io_tomb_raider.formats.editors.projects.compile.textures.textures import (
    TextureRequests,
    add_room_textures,
)
from io_tomb_raider.formats.editors.projects.light.shades import pack_shades
from io_tomb_raider.formats.editors.projects.model.objects import Static
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import RoomType
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    AnimationFrame,
    Corners,
    GameVersion,
    Settings,
)
from io_tomb_raider.formats.levels.level.level import Level, read_level

from .decor import add_decor, solid_pillars
from .light import World, light_points
from .moves import companions, padded, with_all_moves
from .palette import reduced
from .plan import SECTOR, SLOTS, STATICS, WADED, Plan, Site
from .repack import repack
from .solids import Figure, Solid, Tiles
from .statics import static_meshes
from .surfaces import RoomPolys, all_polys
from .tiles import draw_tiles
from .wad2 import pack_objects

TILE = 64
COLUMNS = 8
_GAME = Game.TR4
_UNDER_WATER = np.array((0.44, 0.82, 1.0))
# Vertices of water rooms are moved and lit by the game.
_MOVES = 0x2000
_LIGHT_STEPS = 1 << 2


def build() -> Level:
    """Return the example, a level of TR4."""
    plan = Plan()
    tiles = draw_tiles()
    rooms = all_polys(plan)
    add_decor(plan, rooms)
    world = World(plan, solid_pillars(plan))
    shades = _light(plan, world, rooms)
    _light_statics(plan, world)
    level = _compile(plan, tiles)
    _put_rooms(level, plan, rooms, shades, tiles)
    repack(level)
    return read_level(level.to_bytes())


# --- Light -------------------------------------------------------------------------------------


def _light(plan: Plan, world: World, rooms: Mapping[str, RoomPolys]) -> list[list[Floats]]:
    """Return the light of the corners of all faces, room by room."""
    number: dict[tuple[int, ...], int] = {}
    places: list[Floats] = []
    normals: list[Floats] = []
    corners: list[list[list[int]]] = []
    surface: list[bool] = []
    sites: list[Site] = []
    for index, made in enumerate(rooms.values()):
        own = []
        for poly in made.polys:
            normal = np.cross(poly.corners[1] - poly.corners[0], poly.corners[2] - poly.corners[0])
            normal = normal / max(np.linalg.norm(normal), 1e-9)
            if poly.both_sides or poly.blend:
                normal = normal * 0
            row = []
            for corner in poly.corners:
                # Corners of surfaces that face each other's back have light of their own.
                key = (index, *np.rint(corner).astype(int).tolist(), int(poly.both_sides))
                if key not in number:
                    number[key] = len(places)
                    places.append(corner)
                    normals.append(np.zeros(3))
                    surface.append(not poly.both_sides)
                    sites.append(made.site)
                normals[number[key]] = normals[number[key]] + normal
                row.append(number[key])
            own.append(row)
        corners.append(own)
    directions = np.array(normals)
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    directions = np.where(length > 0.1, directions / np.maximum(length, 1e-9), 0)
    light = light_points(plan, world, np.array(places), directions, np.array(surface), sites)
    result = []
    for own, made in zip(corners, rooms.values(), strict=True):
        water = made.site.room.kind == RoomType.WATER
        parts = []
        for row, poly in zip(own, made.polys, strict=True):
            value = light[row] + _base(made)
            if made.site.look == "grotto":
                value = value * (0.55 + 0.47 * _caustics(poly.corners)[:, None])
            if water:
                value = value * _UNDER_WATER * _caustics(poly.corners)[:, None]
            value = value * np.array(poly.tint)
            parts.append(np.full_like(value, poly.glow) * np.array(poly.tint) if poly.glow else _toned(value))
        result.append(parts)
    return result


def _base(made: RoomPolys) -> Floats:
    return np.array((0.07, 0.088, 0.105)) * (1.5 if made.site.look in ("grotto", "underwater") else 1.0)


def _caustics(corners: Floats) -> Floats:
    """Return bright and dark patches, as light through waves."""
    x, y, z = (corners / SECTOR).T
    wave = np.sin(x * 5.1 + y * 2.3) + np.sin(z * 4.7 - y * 3.1 + 1.0) + np.sin((x + z) * 3.3 + 2.0)
    return 0.95 + 0.3 * wave


def _toned(light: Floats) -> Floats:
    """Return light with soft highlights; 1.9 is the most that games show."""
    peak = np.maximum(light.max(axis=-1, keepdims=True), 1e-6)
    soft = np.where(peak > 0.9, 0.9 + 1.0 * (1 - np.exp(-(peak - 0.9) / 1.0)), peak)
    # Dark tones get more contrast, which suits the textures.
    soft = np.where(soft < 0.5, soft * (0.72 + 0.56 * soft), soft)
    return light / peak * soft


def _light_statics(plan: Plan, world: World) -> None:
    """Set the colors of placed static meshes."""
    names = {slot: name for name, slot in STATICS.items()}
    heights = {"vines": (-600, -100), "pillar": (600, 1800, 3000), "statue": (500, 1200), "torch": (0, 0)}
    for site in plan.sites.values():
        for static in site.room.each(Static):
            name = names[static.slot]
            up = np.array([(0.0, each, 0.0) for each in heights.get(name, (200, 500))])
            origin = np.array(static.position) + np.array(
                (site.room.x * SECTOR, site.room.y, site.room.z * SECTOR)
            )
            if name in ("pillar", "broken_pillar", "pedestal", "brazier"):
                around = np.array(
                    [(480 * np.cos(each), 0, 480 * np.sin(each)) for each in np.arange(6) * np.pi / 3]
                )
                points = (origin + up[:, None] + around[None]).reshape(-1, 3)
            else:
                turn = np.radians(static.y)
                points = origin + up + 260 * np.array((np.sin(turn), 0, np.cos(turn)))
            count = len(points)
            light = light_points(
                plan, world, points, np.zeros_like(points), np.zeros(count, np.bool_), [site] * count
            )
            mean = light.mean(axis=0) * 1.15 + 0.06
            if site.room.kind == RoomType.WATER:
                mean = mean * _UNDER_WATER
            color = _toned(mean[None])[0] * static.color[0]
            if name in ("torch", "brazier"):
                color = np.maximum(color, 1.15)
            static.color = tuple(np.clip(color, 0.05, 1.95).tolist())


# --- Compiling ---------------------------------------------------------------------------------


def example_figures() -> tuple[Tiles, tuple[Figure, ...]]:
    """Return the figures, which another module makes."""
    from .figures import figures

    tiles, made = figures()
    # The idol is what one came for: larger than what one picks up elsewhere.
    made = tuple(_scaled(each, 1.7) if each.name == "idol" else each for each in made)
    return {name: reduced(pixels) for name, pixels in tiles.items()}, made


def _scaled(figure: Figure, factor: float) -> Figure:
    def scaled(mesh: Solid) -> Solid:
        return replace(mesh, vertices=[(factor * x, factor * y, factor * z) for x, y, z in mesh.vertices])

    return replace(figure, meshes=tuple(map(scaled, figure.meshes)))


def _compile(plan: Plan, tiles: Tiles) -> Level:
    figure_tiles, figures = example_figures()
    shapes = static_meshes()
    statics: dict[int, tuple[str, Solid, bool]] = {
        STATICS[name]: (name, solid, name not in WADED) for name, solid in shapes.items()
    }
    named = {each.name: each for each in figures}
    slots = {SLOTS[name]: padded(each, SLOTS[name]) for name, each in named.items() if name in SLOTS}
    slots[SLOTS["lara"]] = with_all_moves(named["lara"])
    slots |= companions(slots[SLOTS["lara"]])
    content = pack_objects(
        slots, statics, {**tiles, **figure_tiles}, {463: ([tiles[f"flame_{n}"] for n in range(3)], 30)}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.wad2"
        path.write_bytes(content)
        settings = Settings(game_version=GameVersion.TR4, wads=[str(path)], rearrange_rooms=False)
        resources = Resources(ProjectPaths(Path(folder) / "example.prj2"), _no_image)
        compiled = compile_project(Project(settings, plan.rooms), resources)
    for line in compiled.log.lines:
        print(line)
    return compiled.level


def _no_image(path: Path) -> NDArray[np.uint8]:
    raise OSError(path)


def _atlas(tiles: Tiles) -> tuple[NDArray[np.uint8], dict[str, tuple[int, int]]]:
    rows = -(-len(tiles) // COLUMNS)
    image = np.zeros((rows * TILE, COLUMNS * TILE, 4), np.uint8)
    places = {}
    for number, (name, pixels) in enumerate(tiles.items()):
        row, column = divmod(number, COLUMNS)
        image[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE] = pixels
        places[name] = column * TILE, row * TILE
    return image, places


def _put_rooms(
    level: Level, plan: Plan, rooms: Mapping[str, RoomPolys], shades: Sequence[Sequence[Floats]], tiles: Tiles
) -> None:
    image, places = _atlas(tiles)
    meshes = [_mesh(made, own, places, tiles) for made, own in zip(rooms.values(), shades, strict=True)]
    every = RoomMesh.join(meshes)
    requests = TextureRequests(
        every.image,
        every.corners.astype(np.float64),
        every.parents.astype(np.float64),
        every.count == 3,
        every.blend,
    )
    sets = [
        AnimatedSet(
            name,
            fps=10.0,
            frames=[AnimationFrame(0, _frame(places[f"{name}_{number}"])) for number in range(4)],
        )
        for name in ("water", "fall", "fall_edge")
    ]
    found = add_room_textures(level, requests, {0: image}, (), sets, padding=0)
    start = 0
    for site, mesh, room in zip(plan.sites.values(), meshes, level.rooms, strict=True):
        rows = slice(start, start + len(mesh))
        start += len(mesh)
        textured = TexturedMesh(mesh, found.index[rows], found.turn[rows], found.as_quad[rows]).usable()
        (part,) = mesh_parts([textured])
        if site.room.kind == RoomType.WATER:
            part.attributes = np.full_like(part.attributes, _MOVES)
        put_mesh(_GAME, room, part, wide=False)


def _frame(place: tuple[int, int]) -> Corners:
    x, y = place
    return ((x, y + TILE), (x, y), (x + TILE, y), (x + TILE, y + TILE))


def _mesh(
    made: RoomPolys, shades: Sequence[Floats], places: Mapping[str, tuple[int, int]], tiles: Tiles
) -> RoomMesh:
    count = len(made.polys)
    positions = np.zeros((count, 4, 3), np.int64)
    light = np.zeros((count, 4, 3))
    corners = np.zeros((count, 4, 2), np.float32)
    parents = np.zeros((count, 2, 2), np.float32)
    origin = np.array((made.site.room.x * SECTOR, 0, made.site.room.z * SECTOR))
    sizes = np.array([len(poly.corners) for poly in made.polys])
    blend = np.zeros(count, np.int64)
    for number, (poly, shade) in enumerate(zip(made.polys, shades, strict=True)):
        rows = [0, 1, 2, 3 if len(poly.corners) == 4 else 2]
        positions[number] = (np.rint(poly.corners - origin).astype(np.int64) * (1, -1, 1))[rows]
        light[number] = shade[rows]
        place = np.array(places[poly.tile])
        corners[number] = (place + poly.uvs * TILE)[rows]
        parents[number] = place, place + TILE
        has_holes = bool((tiles[poly.tile][..., 3] == 0).any())
        blend[number] = poly.blend or int(has_holes)
    packed = pack_shades(_GAME, light.reshape(-1, 3)).reshape(count, 4, 3)
    return RoomMesh(
        positions, sizes, packed, np.zeros(count, np.int64), corners, parents, blend,
        np.array([poly.both_sides for poly in made.polys], np.bool_), np.full((count, 2), NO_ORIGIN),
        np.full((count, 4), NO_ORIGIN),
    )  # fmt: skip


__all__ = ["build", "example_figures"]
