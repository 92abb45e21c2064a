"""Shades, lights and shades at portals as levels store them, compared with numbers computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import ROOM_VERTEX
from io_tomb_raider.formats.editors.projects.light.shades import (
    ShadedPortal,
    ShadedRoom,
    level_lights,
    meet_at_portals,
    pack_shades,
    put_shades,
    room_ambient,
)
from io_tomb_raider.formats.editors.projects.model.objects import Light, LightKind, Opacity
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape
from io_tomb_raider.formats.levels.lights.lights import decode_light


def stored(game: Game, color: tuple[float, float, float], *, wide: bool = False) -> dict[str, int]:
    vertices = np.zeros(1, ROOM_VERTEX[game])
    put_shades(vertices, game, pack_shades(game, np.array([color]), wide=wide), wide=wide)
    names = {"light", "light2", "color"}.intersection(vertices.dtype.names or ())
    return {name: int(vertices[name][0]) for name in names}


def test_vertices_store_shades() -> None:
    color = (1.0, 0.5, 3.0)
    # Brightness 0.78688; 255 - 255 * 0.39344 is 154.67.
    assert stored(Game.TR1, color) == {"light": 154 << 5}
    assert stored(Game.TR2, color) == {"light": 154 << 5, "light2": 154 << 5}
    five = 16 << 10 | 8 << 5 | 31
    assert stored(Game.TR3, color) == {"light": five, "color": five}
    assert stored(Game.TR4, color) == {"light": five, "color": five}
    assert stored(Game.TR5, color) == {"color": 0xFF8040FF}
    # 8 bits: 134 = 16 * 8 + 6, 70 = 8 * 8 + 6, 255 = 31 * 8 + 7.
    wide = stored(Game.TR4, (134 / 128, 70 / 128, 3), wide=True)
    assert wide == {"light": 6 << 6 | 6 << 3 | 7, "color": five}


def test_ambient_light_of_rooms() -> None:
    assert room_ambient(Game.TR1, (1.0, 1.0, 1.0)) == room_ambient(Game.TR3, (1.0, 1.0, 1.0)) == 127 << 5
    assert room_ambient(Game.TR4, (1.0, 0.5, 0.25)) == room_ambient(Game.TR5, (1.0, 0.5, 0.25)) == 0x804020


@pytest.mark.parametrize(
    ("gray", "step"),
    # Exact are 255 - gray / 2: in single precision, some of these whole numbers are one less.
    [(10, 250), (26, 242), (64, 223), (66, 222), (94, 207), (222, 143), (254, 127), (255, 127)],
)
def test_grays_of_the_color_dialog_are_packed_in_single_precision(gray: int, step: int) -> None:
    color = np.full(3, np.float32(gray / 255)).astype(np.float64)
    assert room_ambient(Game.TR1, (color[0], color[1], color[2])) == step << 5
    assert pack_shades(Game.TR2, color[None]).tolist() == [[step << 5]]


# --- Portals -----------------------------------------------------------------------------------


def shaded(x: int, shade: Any, *portals: ShadedPortal, **values: Any) -> ShadedRoom:
    """Return a room with vertices at its walls of low x, 1024, and of high x, 3072."""
    places = np.array([[1024, 0, 1024], [1024, -256, 2048], [3072, 0, 1024], [3072, -256, 2048]])
    packed = np.repeat(np.atleast_2d(shade), 4, axis=0)
    return ShadedRoom((x, 0), places, packed, list(portals), **values)


def wall(room: int, x: int, **values: Any) -> ShadedPortal:
    corners = [(x, 0, 1024), (x, -1024, 1024), (x, -1024, 2048), (x, 0, 2048)]
    return ShadedPortal(room, np.array(corners), **values)


def neighbors(first: Any, second: Any, **values: Any) -> list[ShadedRoom]:
    """Return two rooms beside each other: the right wall of the first is the left one of the second."""
    rooms = [shaded(0, first, wall(1, 3072)), shaded(2048, second, wall(0, 1023))]
    for name, (one, two) in values.items():
        setattr(rooms[0], name, one)
        setattr(rooms[1], name, two)
    return rooms


def shades(rooms: list[ShadedRoom]) -> list[list[int]]:
    """Return the first channels of rooms."""
    meet_at_portals(rooms)
    return [room.packed[:, 0].tolist() for room in rooms]


def test_shades_at_a_portal_are_the_mean() -> None:
    # The first room takes 15; the second one adds its own (the first room's is still 10) to what is found.
    assert shades(neighbors((10, 4, 0), (21, 4, 0))) == [[10, 10, 12, 12], [12, 12, 21, 21]]


def test_gray_shades_are_rounded_to_dark() -> None:
    # First: 8160 - (8160 - 192) // 2 - (8160 - 97) // 2 = 145; second: 8160 - 4031 - 4007 = 122.
    assert shades(neighbors(97, 192)) == [[97, 97, 122, 122], [122, 122, 192, 192]]


def test_rooms_can_forbid_equal_shades() -> None:
    apart = [[10] * 4, [20] * 4]
    assert shades(neighbors((10, 0, 0), (20, 0, 0), interpolation=(2, 0))) == apart
    assert shades(neighbors((10, 0, 0), (20, 0, 0), interpolation=(1, 2))) == apart
    assert shades(neighbors((10, 0, 0), (20, 0, 0), water=(True, False))) == apart
    # Marks are kept by place and water, so each side has its own.
    mixed = shades(neighbors((10, 0, 0), (20, 0, 0), water=(True, False), interpolation=(1, 0)))
    assert mixed == [[10, 10, 15, 15], [15, 15, 20, 20]]


def test_shades_at_closed_portals_are_interpolated_only_on_request() -> None:
    rooms = [shaded(0, (10, 0, 0), wall(1, 3072, opacity=Opacity.SOLID_FACES)), shaded(2048, (20, 0, 0))]
    assert shades(rooms)[0] == [10] * 4
    rooms[0].interpolation = 1
    assert shades(rooms)[0] == [10, 10, 15, 15]
    # The other room has no portal back, so it keeps its shades.
    assert shades(rooms)[1] == [20] * 4


def test_vertices_outside_of_the_portal_keep_their_shades() -> None:
    rooms = neighbors((10, 0, 0), (20, 0, 0))
    for room in rooms:
        room.positions[[1, 3], 1] = -2048
    assert shades(rooms) == [[10, 10, 12, 10], [12, 20, 20, 20]]


def test_the_box_of_a_portal_ends_one_unit_further_unless_that_is_its_second_corner() -> None:
    places = np.array([[x, 0, 1024] for x in (0, 1, 2, 1024, 1025, 1026)])
    for far, expected in ((1, [12, 12, 10, 10, 10, 10]), (1024, [12, 12, 12, 12, 12, 10])):
        corners = [(0, 0, 1024), (far, 0, 1024), (far, -512, 1024), (0, -512, 1024)]
        rooms = [
            ShadedRoom((0, 0), places, np.full((6, 3), shade), [ShadedPortal(other, np.array(corners))])
            for shade, other in ((10, 1), (20, 0))
        ]
        assert shades(rooms)[0] == expected


def test_alternate_rooms_take_the_shades_of_base_rooms() -> None:
    rooms = neighbors((10, 0, 0), (20, 0, 0))
    other = shaded(2048, (31, 0, 0), wall(0, 1023), is_alternate=True, group=3)
    rooms[1].alternate, rooms[1].group = 2, 3
    assert shades([*rooms, other])[2] == [12, 12, 31, 31]


def test_alternate_rooms_of_the_same_flip_map_share_shades() -> None:
    def made(group: int) -> list[list[int]]:
        rooms = neighbors((0, 0, 0), (0, 0, 0))
        rooms[0].alternate, rooms[0].group = 2, 3
        rooms[1].alternate, rooms[1].group = 3, group
        rooms.append(shaded(0, (10, 0, 0), wall(1, 3072), is_alternate=True, group=3))
        rooms.append(shaded(2048, (20, 0, 0), wall(0, 1023), is_alternate=True, group=group))
        return shades(rooms)

    assert made(3)[2:] == [[10, 10, 12, 12], [12, 12, 20, 20]]
    assert made(4)[2:] == [[10, 10, 0, 0], [0, 0, 20, 20]]


def test_shades_are_averaged_room_by_room() -> None:
    place = np.array([[1024, 0, 1024]])
    corner = ShadedPortal(0, np.array([[1024, 0, 1024]] * 4))
    rooms = [
        ShadedRoom((0, 0), place, np.array([[shade, 0, 0]]), [corner._replace(room=k) for k in (1, 2)])
        for shade in (0, 8, 16)
    ]
    rooms[1].portals, rooms[2].portals = [], []
    assert shades(rooms) == [[10], [8], [16]]  # (0 + 8) / 2, and the mean of that and 16


# --- Lights ------------------------------------------------------------------------------------


def made(**values: Any) -> ProjectRoom:
    room = ProjectRoom(0, "", 2, 512, 3, RoomShape.empty(4, 4))
    room.objects = [Light(0, (1024.5, 256.0, 1537.5), **values)]
    return room


def values_of(game: Game, **values: Any) -> dict[str, Any]:
    (record,) = level_lights(game, made(**values)).lights
    assert [float(record[axis]) for axis in "xyz"] == [3072, -768, 4610]  # halves to the even number
    return decode_light(record)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_points_of_old_games(game: Game) -> None:
    values = values_of(game, intensity=0.5, outer_range=4.0)
    assert values["intensity"] == 4095
    assert values["falloff"] == 2048
    assert values.get("intensity2", 4095) == 4095
    assert values.get("falloff2", 2048) == 2048


def test_lights_of_tr3() -> None:
    values = values_of(Game.TR3, intensity=0.5, outer_range=4.0, color=(1.0, 0.5, 3.0))
    assert (values["type"], values["intensity"], values["falloff"]) == (0, 4095, 2048)
    assert values["color"] == (128 / 255, 64 / 255, 1)
    values = values_of(Game.TR3, kind=LightKind.SUN, y=90.0, x=-30.0)
    assert values["type"] == 1
    # It shines to +x and down: the way to it is -x and up, which is negative.
    assert values["direction"] == (-886, -512, 0)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_lights_of_new_games(game: Game) -> None:
    point = values_of(game, intensity=0.5)
    assert (point["type"], point["inner"], point["outer"]) == (1, 1024, 5120)
    shadow = values_of(game, kind=LightKind.SHADOW, intensity=-0.5)
    assert (shadow["type"], shadow["inner"], shadow["outer"]) == (3, 1024, 5120)
    spot = values_of(game, kind=LightKind.SPOT, inner_angle=60.0, outer_angle=90.0, y=90.0)
    assert spot["type"] == 2
    assert (spot["inner"], spot["outer"]) == (pytest.approx(0.5), pytest.approx(0))
    towards = -1 if game is Game.TR4 else 1  # TR5 has the direction of the beam
    assert spot["direction"] == (pytest.approx(towards), pytest.approx(0), pytest.approx(0))
    if game is Game.TR4:
        assert (point["intensity"], shadow["intensity"]) == (4095, 4095)
        assert (spot["length"], spot["cutoff"]) == (1024, 5120)
    else:
        assert shadow["shadow"] == 127
        assert point["shadow"] == 0  # the filler of the file, which is no strength
        assert spot["range"] == 5120
        assert (spot["inner_angle"], spot["outer_angle"]) == (
            pytest.approx(2.094395),
            pytest.approx(3.141593),
        )
    sun = values_of(game, kind=LightKind.SUN, x=-90.0)
    assert (sun["type"], sun["inner"], sun["outer"]) == (0, 0, 0)
    assert sun["direction"] == (pytest.approx(0), pytest.approx(towards), pytest.approx(0))


def test_fog_bulbs() -> None:
    values = values_of(Game.TR4, kind=LightKind.FOG_BULB, intensity=0.5, color=(1.0, 0.0, 0.0))
    assert (values["type"], values["intensity"], values["length"]) == (4, 8191, 0.5)
    assert values["color"] == (64 / 255,) * 3
    found = level_lights(Game.TR5, made(kind=LightKind.FOG_BULB, intensity=0.5, color=(1.0, 0.0, 0.0)))
    assert len(found.lights) == 0
    (bulb,) = found.fog_bulbs
    assert (bulb["radius"], bulb["radius2"], bulb["density"]) == (5120, 5120**2, 32767.5)
    assert bulb["color"].tolist() == pytest.approx([128 / 255, 0, 0])


@pytest.mark.parametrize(
    ("game", "values"),
    [
        (Game.TR4, {"enabled": False}),
        (Game.TR4, {"dynamic": False}),
        (Game.TR4, {"intensity": 0.0}),
        (Game.TR4, {"color": (0.0, 0.0, 0.0)}),
        (Game.TR5, {"kind": LightKind.EFFECT}),
        (Game.TR3, {"kind": LightKind.SPOT}),
        (Game.TR2, {"kind": LightKind.SUN}),
    ],
)
def test_lights_that_levels_do_not_have_are_left_out(game: Game, values: dict[str, Any]) -> None:
    found = level_lights(game, made(**values))
    assert not len(found.lights)
    assert not found.origins


def test_lights_name_their_origin() -> None:
    room = made()
    room.objects.append(Light(1, (0.0, 0.0, 0.0), kind=LightKind.FOG_BULB))
    room.objects.append(Light(2, (0.0, 0.0, 0.0), kind=LightKind.SUN))
    assert [light.number for light in level_lights(Game.TR4, room).origins] == [0, 1, 2]
    assert [light.number for light in level_lights(Game.TR5, room).origins] == [0, 2, 1]
