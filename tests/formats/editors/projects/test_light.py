"""Baked light of projects' rooms, compared with numbers computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats.editors.projects.geometry.faces import Faces
from io_tomb_raider.formats.editors.projects.light.light import face_normals, mesh_shades, room_shades
from io_tomb_raider.formats.editors.projects.model.objects import Light, LightKind
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import Face, RoomShape


def faces(*each: tuple[int, list[tuple[int, int, int]]]) -> Faces:
    corners = np.zeros((len(each), 4, 3), np.int64)
    for row, (_, places) in enumerate(each):
        corners[row] = [*places, places[-1]][:4]  # triangles repeat the third
    face, count = np.array([face for face, _ in each]), np.array([len(places) for _, places in each])
    return Faces(np.zeros(len(each), np.int64), face, count, corners)


def floor(x: int, z: int, y: int = 0) -> tuple[int, list[tuple[int, int, int]]]:
    low, high = (x * 1024, z * 1024), (x * 1024 + 1024, z * 1024 + 1024)
    return Face.FLOOR, [
        (low[0], y, low[1]),
        (low[0], y, high[1]),
        (high[0], y, high[1]),
        (high[0], y, low[1]),
    ]


def ceiling(x: int, z: int, y: int) -> tuple[int, list[tuple[int, int, int]]]:
    return Face.CEILING, floor(x, z, y)[1]


def room(*lights: Light, ambient: tuple[float, float, float] = (0.25, 0.25, 0.25)) -> ProjectRoom:
    made = ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(8, 8, 4096), ambient)
    made.objects = list(lights)
    return made


def light(kind: LightKind, position: tuple[float, float, float], **values: Any) -> Light:
    return Light(0, position, kind=kind, **values)


def at(made: ProjectRoom, each: Faces, place: tuple[int, int, int]) -> list[float]:
    """Return the brightness of a position, which must be the same at all corners there."""
    (shades,) = room_shades([made], [each])
    found = shades[(each.corners == place).all(axis=2) & (np.arange(4) < each.count[:, None])]
    assert len(found)
    assert np.ptp(found, axis=0).max() == 0
    return found[0].tolist()


_SKY = (2560.0, 2048.0, 2560.0)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (room(), 0.25),
        # A point at 2048: (5120 - 2048) / 4096 of 0.5.
        (room(light(LightKind.POINT, (2048, 2048, 2048))), 0.25 + 0.375),
        # The intensity is cut to 1/8192.
        (room(light(LightKind.POINT, (2048, 512, 2048), intensity=0.50009)), 0.75),
        # Nearer than the inner range.
        (room(light(LightKind.POINT, (2048, 512, 2048))), 0.75),
        (room(light(LightKind.POINT, (2048, 2048, 2048), outer_range=2.06)), 0.25),  # within 64 of the end
        (room(light(LightKind.POINT, (2048, 512, 2048), enabled=False)), 0.25),
        (room(light(LightKind.POINT, (2048, 512, 2048), static=False)), 0.25),
        (room(light(LightKind.SHADOW, (2048, 512, 2048), intensity=-0.125)), 0.125),
        (room(light(LightKind.SHADOW, (2048, 512, 2048), intensity=-2)), 0),
        (room(light(LightKind.SUN, _SKY, x=-90, intensity=0.5)), 0.75),
        (room(light(LightKind.SUN, _SKY, x=-30, intensity=0.5)), 0.5),
        (room(light(LightKind.SUN, _SKY, x=90, intensity=0.5)), 0.25),
        (room(light(LightKind.SUN, _SKY, x=-90, intensity=-0.5)), 0.25),
        (room(light(LightKind.SPOT, (2048, 512, 2048), x=-90)), 0.75),
        (room(light(LightKind.SPOT, (2048, 2048, 2048), x=-90)), 0.625),
        (room(light(LightKind.SPOT, (2048, 512, 2048), x=-60)), 0.25),  # beside the cone
        (room(light(LightKind.EFFECT, (2560, 512, 2560), outer_range=1)), 0.375),
        (room(light(LightKind.EFFECT, (2560, 512, 1536), outer_range=1)), 0.375),
        (room(light(LightKind.EFFECT, (3584, 512, 2560), outer_range=2)), 0.25),  # another sector
        (room(light(LightKind.EFFECT, (2560, -1, 2560), outer_range=1)), 0.25),  # below the floor
        (room(light(LightKind.FOG_BULB, (2048, 512, 2048))), 0.25),
    ],
)
def test_lights_on_a_floor(made: ProjectRoom, expected: float) -> None:
    assert at(made, faces(floor(2, 2)), (2048, 0, 2048)) == pytest.approx([expected] * 3)


def test_light_has_a_color() -> None:
    made = room(light(LightKind.POINT, (2048, 512, 2048), color=(2, 1, 0)), ambient=(0, 0.5, 0.25))
    assert at(made, faces(floor(2, 2)), (2048, 0, 2048)) == pytest.approx([1, 1, 0.25])


def test_a_spot_fades_from_its_inner_to_its_outer_angle() -> None:
    angles = {"inner_angle": 0.0, "outer_angle": 60.0}
    spot = light(LightKind.SPOT, (2048, 512, 2048), x=-90, **angles)
    made = room(spot, ambient=(0, 0, 0))
    # At 45 degrees: (cos 45 - cos 60) / (1 - cos 60) of the light, which comes from above.
    spot.position = (2048 + 512, 512, 2048)
    expected = 0.5 * (0.5**0.5 - 0.5) / 0.5
    assert at(made, faces(floor(2, 2)), (2048, 0, 2048)) == pytest.approx([expected] * 3)
    # With equal angles it does not fade; with exchanged ones it does not shine.
    spot.inner_angle = 60.0
    assert at(made, faces(floor(2, 2)), (2048, 0, 2048)) == pytest.approx([0.5] * 3)
    spot.inner_angle = 61.0
    assert at(made, faces(floor(2, 2)), (2048, 0, 2048)) == pytest.approx([0] * 3)


def test_a_position_has_the_mean_of_all_triangle_corners() -> None:
    made = room(light(LightKind.SUN, _SKY, x=-90, intensity=0.5), ambient=(0, 0, 0))
    # The wall is not lit. Its third corner is one of one triangle, the second one of two; those of the floor:
    # the second and the fourth.
    wall = (Face.MIDDLE, [(2048, 0, 2048), (2048, 1024, 2048), (3072, 1024, 2048), (3072, 0, 2048)])
    both = faces(floor(2, 2), wall)
    assert at(made, both, (2048, 0, 2048)) == pytest.approx([0.5 * 1 / 2] * 3)
    assert at(made, both, (3072, 0, 2048)) == pytest.approx([0.5 * 2 / 4] * 3)
    assert at(made, both, (2048, 0, 3072)) == pytest.approx([0.5] * 3)
    assert at(made, both, (3072, 1024, 2048)) == pytest.approx([0] * 3)
    beside = (Face.MIDDLE, [(2048, 0, 3072), (2048, 1024, 3072), (2048, 1024, 2048), (2048, 0, 2048)])
    both = faces(floor(2, 2), beside)
    assert at(made, both, (2048, 0, 3072)) == pytest.approx([0.5 * 2 / 3] * 3)
    assert at(made, both, (2048, 0, 2048)) == pytest.approx([0.5 * 1 / 3] * 3)


def test_the_halves_of_a_ceiling_are_those_of_a_floor() -> None:
    made = room(light(LightKind.SUN, (2560, 128, 2560), x=90, intensity=0.5), ambient=(0, 0, 0))
    assert at(made, faces(ceiling(2, 2, 1024)), (2048, 1024, 3072)) == pytest.approx([0.5] * 3)
    # The corner at low x and high z belongs to both triangles.
    beside = (Face.MIDDLE, [(2048, 1024, 3072), (2048, 2048, 3072), (2048, 2048, 2048), (2048, 1024, 2048)])
    both = faces(ceiling(2, 2, 1024), beside)
    assert at(made, both, (2048, 1024, 3072)) == pytest.approx([0.5 * 2 / 3] * 3)
    assert at(made, both, (2048, 1024, 2048)) == pytest.approx([0.5 * 1 / 3] * 3)


def test_triangles_have_three_corners() -> None:
    made = room(light(LightKind.SUN, _SKY, x=-90, intensity=0.5), ambient=(0, 0, 0))
    single = faces((Face.FLOOR, floor(2, 2)[1][:3]))
    (shades,) = room_shades([made], [single])
    assert shades[0, :3] == pytest.approx(np.full((3, 3), 0.5))
    assert not shades[0, 3].any()


@pytest.mark.parametrize(
    ("own", "default", "expected"),
    [(0, 1, 0), (1, 2, 0), (0, 2, 1 / 3), (2, 1, 1 / 3), (3, 1, 2 / 5), (0, 3, 2 / 5)],
)
def test_walls_obstruct_light_by_its_quality(own: int, default: int, expected: float) -> None:
    made = room(light(LightKind.POINT, (3072, 512, 4608), inner_range=4, quality=own), ambient=(0, 0, 0))
    made.shape.wall[3, 3] = True
    each = faces(floor(3, 1))
    (shades,) = room_shades([made], [each], default)
    assert shades[0, 1] == pytest.approx([expected / 2] * 3)
    made.objects[0].obstructed = False
    (shades,) = room_shades([made], [each], default)
    assert shades[0, 1] == pytest.approx([0.5] * 3)


def test_meshes_are_lit_by_the_angle() -> None:
    lamp = light(LightKind.POINT, (2048, 512, 2048), quality=3)
    made = room(lamp)
    places = np.array([[2048, 0, 2048], [2048, 0, 2048], [-64, 0, 2048]])
    normals = np.array([[0, 1, 0], [0.8, 0.6, 0], [0, 1, 0]])
    shades = mesh_shades(made, places, normals, (0.5, 0.5, 0.5))
    assert shades[:, 0].tolist() == pytest.approx([1, 0.8, 0.5])  # the last one is outside of the room
    assert mesh_shades(made, places, normals, (0, 0, 0), imported=True)[0, 0] == pytest.approx(0.5)
    lamp.imported_geometry = False
    assert mesh_shades(made, places, normals, (0, 0, 0), imported=True)[0, 0] == 0
    lamp.static, lamp.imported_geometry = False, True
    assert mesh_shades(made, places, normals, (0, 0, 0))[0, 0] == 0


def test_normals_are_towards_the_viewer() -> None:
    wall = (Face.MIDDLE, [(3072, 0, 2048), (3072, 0, 2048), (2048, 1024, 2048), (2048, 0, 2048)])
    triangle = (Face.CEILING_TRIANGLE_2, floor(1, 1)[1][:3])
    each = faces(floor(2, 2), ceiling(2, 2, 512), wall, triangle)
    assert face_normals(each).tolist() == [[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, -1, 0]]


def test_a_room_without_faces() -> None:
    (shades,) = room_shades([room()], [faces()])
    assert shades.shape == (0, 4, 3)
