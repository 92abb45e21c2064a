"""The faces of the rooms: floors, ceilings and walls in courses of tiles, and what protrudes from walls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from io_tomb_raider.formats.base.arrays.typing import Floats
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms

from .plan import CLICK, SECTOR, Plan, Site

UP = np.array((0.0, 1.0, 0.0))
Band = tuple[float, float, tuple[str, ...]]  # from and to in clicks of the level, and tiles to choose from


@dataclass
class Poly:
    """A face of a room.

    Attributes:
        corners: (3 or 4, 3) in units of the level, y up, clockwise for the viewer.
        tile: its tile.
        uvs: (3 or 4, 2), 0 to 1 from the upper left of the tile.
        glow: its own light, 0 to be lit by others.
        rough: how far its corners may be moved, in units.
    """

    corners: Floats
    tile: str
    uvs: Floats
    glow: float = 0.0
    rough: float = 0.0
    both_sides: bool = False
    blend: int = 0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Look:
    """How the surfaces of a room look.

    Attributes:
        bands: courses of its walls from below; the last one repeats upwards.
        floors, ceilings: tiles to choose from.
        rough, rough_floor, rough_ceiling: how far corners are moved.
        ledges: (from, to in clicks, depth in units, tile) of what protrudes from walls.
    """

    bands: tuple[Band, ...]
    floors: tuple[str, ...]
    ceilings: tuple[str, ...]
    rough: float = 0.0
    rough_floor: float = 0.0
    rough_ceiling: float = 0.0
    ledges: tuple[tuple[float, float, float, str], ...] = ()
    steps: str = ""


_VARIED = ("slabs", "slabs_2", "slabs_sand", "slabs_moss")  # floors that may be mirrored
_BLOCKS = ("blocks", "blocks_2", "blocks", "blocks_cracked")
LOOKS = {
    "gorge": Look(
        (
            (0, 12, ("rock_moss_2", "rock", "rock_2", "rock_moss")),
            (12, 16, ("rock", "rock_2", "rock_moss_2")),
            (16, 20, ("rock_moss", "rock_2", "rock")),
            (20, 23, ("rock", "rock_2", "rock_moss")),
            (23, 27, ("sky_low",)),
        ),
        ("grass", "grass", "rock_floor", "grass"),
        ("sky",),
        190,
        40,
        0,
    ),
    "cave": Look(
        ((-4, 40, ("rock", "rock_2", "rock_2", "rock", "wet_rock")),),
        ("rock_floor",),
        ("rock", "rock_2"),
        170,
        40,
        170,
    ),
    "temple_low": Look(
        (
            (-2, 0, ("plinth",)),
            (0, 2, ("plinth",)),
            (2, 6, ("blocks_base", "blocks_2", "blocks")),
            (6, 8, ("glyphs",)),
            (8, 10, ("plinth",)),
            (10, 14, ("blocks", "blocks_2", "blocks_moss_2")),
            (14, 18, ("frieze",)),
            (18, 30, ("bricks",)),
        ),
        ("slabs", "slabs_2", "slabs_sand", "slabs_2"),
        ("coffer",),
        ledges=(),
        steps="stair",
    ),
    "temple": Look(
        (
            (-2, 2, ("plinth",)),
            (2, 6, ("blocks_base", "blocks_base", "blocks_2")),
            (6, 10, _BLOCKS),
            (10, 14, ("frieze",)),
            (14, 15, ("cornice",)),
            (15, 19, ("blocks", "blocks_2", "blocks_moss")),
            (19, 20, ("cornice",)),
        ),
        ("slabs", "slabs_2", "slabs", "slabs_2", "slabs_sand"),
        ("timber",),
        ledges=((0, 2.0, 110, "plinth"), (13.5, 15, 170, "cornice")),
        steps="stair",
    ),
    "lantern": Look(
        ((20, 24, ("blocks_moss", "bricks_moss")), (24, 40, ("rock_moss", "rock_moss_2"))),
        ("slabs_moss",),
        ("sky",),
        110,
    ),
    "grotto": Look(
        (
            (-16, -2, ("dark_moss",)),
            (-2, 2, ("dark_moss", "dark_blocks")),
            (2, 6, ("dark_blocks", "dark_blocks", "dark_moss")),
            (6, 8, ("glyphs",)),
            (8, 12, ("dark_blocks", "wet_rock")),
            (12, 40, ("wet_rock", "rock_moss_2")),
        ),
        ("pool_floor", "slabs_moss", "slabs_2"),
        ("wet_rock", "rock"),
        0,
        0,
        150,
        ledges=(),
        steps="stair",
    ),
    "underwater": Look(
        ((-40, 0, ("dark_moss", "dark_blocks", "wet_rock")),),
        ("pool_floor", "rock_floor", "pool_floor"),
        ("water_0",),
        0,
        40,
        0,
    ),
    "sanctum": Look(
        (
            (2, 4, ("plinth",)),
            (4, 6, ("plinth",)),
            (6, 10, ("blocks", "blocks_2")),
            (10, 14, ("glyphs", "glyphs", "frieze")),
            (14, 15, ("gold_band",)),
            (15, 19, ("frieze",)),
            (19, 23, ("blocks_2", "blocks")),
            (23, 25, ("gold_band",)),
        ),
        ("slabs", "slabs_2"),
        ("coffer",),
        ledges=((4, 6, 110, "plinth"), (13.5, 15, 170, "gold_band")),
        steps="stair",
    ),
    "crypt": Look(
        (
            (-8, -4, ("dark_blocks",)),
            (-4, 0, ("dark_blocks", "dark_moss")),
            (0, 4, ("bricks", "dark_blocks")),
            (4, 8, ("bricks", "bricks_moss")),
            (8, 12, ("bricks",)),
            (12, 30, ("bricks", "blocks_2")),
        ),
        ("slabs_2", "slabs_moss", "slabs"),
        ("dark_blocks", "bricks"),
        steps="stair",
    ),
}


def _hash(*numbers: float) -> int:
    value = 2166136261
    for each in numbers:
        value = (value ^ (round(each) & 0xFFFFFFFF)) * 16777619 & 0xFFFFFFFF
    return value >> 7


def quad(
    corners: Sequence[Sequence[float]],
    tile: str,
    part: tuple[float, float, float, float] = (0, 0, 1, 1),
    **options: object,
) -> Poly:
    """Return a quad with corners from the lower left, clockwise as it is seen."""
    u0, v0, u1, v1 = part
    uvs = np.array([(u0, v1), (u0, v0), (u1, v0), (u1, v1)], np.float64)
    points = np.array(corners, np.float64)
    return Poly(points, tile, uvs[: len(points)], **options)  # type: ignore[arg-type]


@dataclass
class RoomPolys:
    """The faces of a room."""

    site: Site
    polys: list[Poly] = field(default_factory=list)


def all_polys(plan: Plan) -> dict[str, RoomPolys]:
    """Return the faces of all rooms, in the order of the plan."""
    rooms = ProjectRooms(plan.rooms)
    result = {}
    for name, site in plan.sites.items():
        made = RoomPolys(site)
        built = room_faces(rooms, site.room)
        origin = np.array((site.room.x * SECTOR, site.room.y, site.room.z * SECTOR), np.float64)
        walls = []
        for sector, face, number, corners in zip(
            built.sector.tolist(), built.face.tolist(), built.count.tolist(), built.corners, strict=True
        ):
            points = corners[:number].astype(np.float64)
            if face in (27, 28):
                points = points[::-1]
            points = points + origin
            z, x = divmod(sector, site.room.shape.x_sectors)
            place = x + site.room.x, z + site.room.z
            if face in (25, 26):
                made.polys.append(_flat(site, points, place, ceiling=False))
            elif face in (27, 28):
                made.polys.append(_flat(site, points, place, ceiling=True))
            else:
                walls.append(points)
                made.polys += _wall(site, points)
        made.polys += _ledges(site, walls)
        result[name] = made
    _unfold(plan, result)
    return result


# --- Floors and ceilings -----------------------------------------------------------------------


def _flat(site: Site, points: Floats, place: tuple[int, int], *, ceiling: bool) -> Poly:
    look = LOOKS[site.look]
    choice = look.ceilings if ceiling else look.floors
    # Neighbors rarely look alike, and large parts share a kind.
    tile = choice[_hash(place[0], place[1], 7 if ceiling else 3) % len(choice)]
    x, z = place
    uv = np.stack([points[:, 0] / SECTOR - x, 1 - (points[:, 2] / SECTOR - z)], axis=1)
    tile, turn = special_tile(site, tile, place, points, ceiling=ceiling)
    if turn is None:
        turn = _hash(x, z, 11) % 4 if tile in _VARIED else 0
        if turn & 1:
            uv[:, 0] = 1 - uv[:, 0]
        if turn & 2:
            uv[:, 1] = 1 - uv[:, 1]
    elif turn >= 8:
        if turn & 1:
            uv[:, 0] = 1 - uv[:, 0]
        if turn & 2:
            uv[:, 1] = 1 - uv[:, 1]
    else:
        for _ in range(turn):
            uv = np.stack([uv[:, 1], 1 - uv[:, 0]], axis=1)
    rough = look.rough_ceiling if ceiling else look.rough_floor
    glow = 1.1 if tile.startswith("sky") else 0.0
    poly = Poly(points, tile, uv.clip(0, 1), glow, 0.0 if glow else rough)
    if site.look == "underwater" and ceiling:
        poly.glow = 0.0
    return poly


def special_tile(
    site: Site, tile: str, place: tuple[int, int], points: Floats, *, ceiling: bool
) -> tuple[str, int | None]:
    """Return the tile of a floor or ceiling with a place of its own, and how it is turned."""
    x, z = place
    height = points[:, 1].mean() / CLICK
    name = site.room.name
    if name.startswith("Pillared Hall") and not ceiling and height <= 0.01:
        dx, dz = x - 23.5, z - 30.5
        if max(abs(dx), abs(dz)) < 2:
            return _mosaic(dx, dz)
        if max(abs(dx), abs(dz)) < 3:
            return "slabs_sand" if _hash(x, z) % 3 == 0 else "slabs", None
        if x in (20, 27):
            return "mosaic_border", 1 if x == 20 else 3
    if name.startswith("Pillared Hall") and ceiling:
        return ("coffer", 0) if x in (18, 19, 28, 29) else ("timber", 0)
    if name == "Gorge" and not ceiling and x in (22, 25) and z < 9:
        return "path_edge", 9 if x == 22 else 8
    if name == "Gorge" and not ceiling and x in (23, 24):
        return ("rock_floor" if z < 8 or _hash(x, z) % 2 else "slabs_moss"), None
    if name == "Cave Mouth" and not ceiling and z >= 15:
        return ("slabs_sand" if _hash(x, z) % 2 else "slabs_moss"), None
    if name == "Pool Chamber" and not ceiling and height > 3.5:
        return "rock_moss_2", None
    if name == "Sanctum" and not ceiling and (x in (23, 24)) and z <= 43:
        return "mosaic_border", 1 if x == 23 else 3
    if name == "Cascade" and not ceiling and height < 10.5:
        return "water_0", 0
    return tile, None


def _mosaic(dx: float, dz: float) -> tuple[str, int]:
    """Return the tile and the turn of a part of the sun around (0, 0)."""
    names = {(0, 0): "mosaic_center", (1, 0): "mosaic_side", (1, 1): "mosaic_corner", (0, 1): "mosaic_side_2"}
    # Tiles are drawn for the quarter right and below: +x, -z.
    quarter = (dx > 0, dz < 0)
    far = (int(abs(dx)), int(abs(dz)))
    flips = {(True, True): 8, (False, True): 9, (True, False): 10, (False, False): 11}[quarter]
    return names[far], flips


# --- Walls -------------------------------------------------------------------------------------


def _clipped(points: list[tuple[float, float]], height: float, *, above: bool) -> list[tuple[float, float]]:
    """Return the part of a polygon (s, y) above or below a height."""
    result = []
    for (s0, y0), (s1, y1) in zip(points, points[1:] + points[:1], strict=True):
        inside0, inside1 = ((y >= height) if above else (y <= height) for y in (y0, y1))
        if inside0:
            result.append((s0, y0))
        if inside0 != inside1:
            part = (height - y0) / (y1 - y0)
            result.append((s0 + part * (s1 - s0), height))
    distinct = [each for number, each in enumerate(result) if each != result[number - 1]]
    return distinct if len(distinct) > 2 else []


def _bands(look: Look, low: float, high: float) -> Iterator[Band]:
    for start, end, tiles in look.bands:
        # Courses higher than four clicks repeat.
        bottom = start
        while bottom < end:
            top = min(bottom + 4, end) if end - start > 4 else end
            if top > low and bottom < high:
                yield bottom, top, tiles
            bottom = top


def _wall(site: Site, points: Floats) -> list[Poly]:
    look = LOOKS[site.look]
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    length = np.linalg.norm(normal)
    if length < 1:
        return []
    right = np.cross(UP, -normal / length)
    along = points @ right
    start, width = along.min(), np.ptp(along)
    heights = points[:, 1] / CLICK
    flat = list(zip(((along - start) / width).tolist(), heights.tolist(), strict=True))
    origin = points[0] - right * (along[0] - start)
    result = []
    for bottom, top, tiles in _bands(look, heights.min(), heights.max()):
        part = _clipped(_clipped(flat, bottom, above=True), top, above=False) if flat else []
        if not part:
            continue
        key = _hash(origin[0] / 256, origin[2] / 256, bottom, right[0] * 3 + right[2] * 7)
        tile = tiles[key % len(tiles)]
        size = (
            max(top - bottom, 4.0)
            if tile not in ("plinth", "glyphs", "gold_band", "cornice")
            else top - bottom
        )
        low, high = min(y for _, y in part), max(y for _, y in part)
        if look.steps and high - low <= 1.01 and len(part) == 4 and low < 12 and bottom < 6:
            # The risers of steps.
            tile, size, bottom, top = look.steps, 2.0, high - 2.0, high
        places = [(origin + right * s * width) * (1, 0, 1) + UP * y * CLICK for s, y in part]
        uvs = [
            (
                s,
                min(max((bottom + size - y) / size if size >= 4 else (top - y) / size, 0), 1),
            )
            for s, y in part
        ]
        for start_corner in range(0, len(part) - 2, 2) if len(part) > 4 else (0,):
            rows = (
                [0, *range(start_corner + 1, min(start_corner + 4, len(part)))]
                if len(part) > 4
                else list(range(len(part)))
            )
            if len(rows) >= 3:
                result.append(
                    Poly(
                        np.array([places[row] for row in rows]),
                        tile,
                        np.array([uvs[row] for row in rows]),
                        1.05 if tile.startswith("sky") else 0.0,
                        look.rough,
                    )
                )
    return result


def _ledges(site: Site, walls: Sequence[Floats]) -> list[Poly]:
    """Return what protrudes from walls: plinths and cornices."""
    look = LOOKS[site.look]
    result: list[Poly] = []
    for low, high, depth, tile in look.ledges:
        edges = {}
        for points in walls:
            bottom, top = points[:, 1].min() / CLICK, points[:, 1].max() / CLICK
            normal = np.cross(points[1] - points[0], points[2] - points[0])
            normal /= max(np.linalg.norm(normal), 1e-9)
            if len(points) < 4 or bottom > low + 1.01 or top < min(high, low + 2) or abs(normal).max() < 0.99:
                continue
            right = np.cross(UP, -normal)
            along = points @ right
            left = points[along.argmin()] * (1, 0, 1)
            edges[tuple(np.rint(left).tolist()), tuple(np.rint(normal).tolist())] = (
                left,
                left + right * SECTOR,
                normal,
                right,
                max(bottom, low),
            )
        starts = {(tuple(np.rint(end).tolist()), key[1]) for key, (_, end, *_rest) in edges.items()}
        for key, (left, end, normal, right, bottom) in edges.items():
            y0, y1 = bottom * CLICK, high * CLICK
            is_plinth = tile == "plinth"
            out, slope = normal * depth, normal * (depth * (0.35 if is_plinth else 1.0))
            # Bottoms of cornices lean back.
            under = normal * (depth if is_plinth else depth * 0.3)
            a, b, c, d = (
                left + under + UP * y0,
                left + out + UP * (y1 - 70),
                end + out + UP * (y1 - 70),
                end + under + UP * y0,
            )
            result.append(quad((a, b, c, d), tile))
            e, f = (
                left + slope * (0 if is_plinth else 1) + UP * y1,
                end + slope * (0 if is_plinth else 1) + UP * y1,
            )
            result.append(quad((b, e, f, c), tile, (0, 0.0, 1, 0.12)))
            if not is_plinth and high < 14.9:
                result.append(quad((e, left + UP * y1, end + UP * y1, f), tile, (0, 0, 1, 0.2)))
            if not is_plinth:
                result.append(quad((left + UP * y0, a, d, end + UP * y0), tile, (0, 0.8, 1, 1)))
            if key not in starts:
                result.append(quad((left + UP * y0, left + UP * y1, b, a), tile, (0, 0, 0.12, 1)))
            if (tuple(np.rint(end).tolist()), key[1]) not in edges:
                result.append(quad((d, c, end + UP * y1, end + UP * y0), tile, (0, 0, 0.12, 1)))
            del right
    return result


# --- Moving corners ------------------------------------------------------------------------------


def _smooth(place: Floats, seed: int) -> Floats:
    """Return noise from -1 to 1 by place (n, 3) in sectors, (n, 3)."""
    random = np.random.default_rng(seed)
    waves = random.normal(0, 1.1, (14, 3))
    shift = random.random((14, 3)) * 2 * np.pi
    angle = place @ waves.T * 1.9
    return np.stack([np.sin(angle + shift[:, axis]).sum(axis=1) for axis in range(3)], axis=1) / 4.2


def _unfold(plan: Plan, rooms: dict[str, RoomPolys]) -> None:
    """Move corners of rock where no portal is."""
    for name, made in rooms.items():
        fixed = _portal_places(plan, made.site)
        limit: dict[tuple[int, ...], float] = {}
        for poly in made.polys:
            for corner in poly.corners:
                key = tuple(np.rint(corner).astype(int).tolist())
                limit[key] = min(limit.get(key, 1e9), poly.rough)
        for poly in made.polys:
            if not poly.rough:
                continue
            moved = _smooth(poly.corners / SECTOR, 5)
            for number, corner in enumerate(poly.corners.copy()):
                key = tuple(np.rint(corner).astype(int).tolist())
                amount = 0.0 if _touches(corner, fixed) else limit[key]
                poly.corners[number] = corner + moved[number] * amount * (1, 0.6, 1)
        del name


def _portal_places(plan: Plan, site: Site) -> list[tuple[Floats, Floats]]:
    """Return the boxes of a room's portals, in units."""
    from io_tomb_raider.formats.editors.projects.model.objects import Direction, ProjectPortal

    result = []
    for portal in site.room.each(ProjectPortal):
        x0, z0, x1, z1 = portal.area
        low = np.array((x0 + site.room.x, -1e6, z0 + site.room.z)) * (SECTOR, 1, SECTOR)
        high = np.array((x1 + site.room.x + 1, 1e6, z1 + site.room.z + 1)) * (SECTOR, 1, SECTOR)
        if portal.direction == Direction.FLOOR:
            low[1] = high[1] = site.room.y
        if portal.direction == Direction.CEILING:
            other = next(each for each in plan.rooms if each.number == portal.room)
            low[1] = high[1] = other.y
        result.append((low - 2, high + 2))
    return result


def _touches(corner: Floats, boxes: Sequence[tuple[Floats, Floats]]) -> bool:
    return any(bool((corner >= low).all() and (corner <= high).all()) for low, high in boxes)
