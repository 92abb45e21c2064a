"""Animated textures, footsteps and images of projects."""

from __future__ import annotations

from struct import unpack

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.editors.projects.compile.textures.animated import (
    ANIMATIONS,
    REMAPPED_TILES,
    with_animations,
)
from io_tomb_raider.formats.editors.projects.compile.textures.footsteps import footsteps
from io_tomb_raider.formats.editors.projects.compile.textures.textures import (
    add_room_textures,
    fold_image,
    level_image,
)
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    AnimationFrame,
    Corners,
    LevelTexture,
)
from io_tomb_raider.formats.editors.projects.model.shape import FACE, Face, RoomShape
from io_tomb_raider.formats.levels.level.footer import TrngFooter
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.textiles import clear_magenta

from .faces import QUAD, check, drawn_corners, moved, noise, page_of, requests, turned

_IMAGES = {1: noise(256, 512)}


def frame(x: float, y: float, repeat: int = 1, image: int = 1) -> AnimationFrame:
    corners: Corners = ((x, y), (x + 64, y), (x + 64, y + 64), (x, y + 64))
    return AnimationFrame(image, corners, repeat)


def pictures(kind: int = 0, fps: float = 16.0, rotate: int = 0) -> AnimatedSet:
    """Return a set of three frames beside each other."""
    return AnimatedSet("Water", kind, fps, rotate, [frame(0, 0), frame(64, 0), frame(128, 0)])


def groups(level: Level) -> list[list[int]]:
    return decode_animated(level.animated_textures).groups


def test_faces_of_any_frame_are_animated() -> None:
    level = Level.empty(Game.TR4)
    asked = requests(moved(QUAD, 0, 64), turned(moved(QUAD, 64, 0), 1), QUAD, moved(QUAD, 128, 0))
    found = add_room_textures(level, asked, _IMAGES, sets=[pictures()])
    assert groups(level) == [[1, 2, 3]]
    assert level.uv_rotates == 0
    # A face begins with its frame: the second one shows the second frame.
    assert found.index.tolist() == [0, 2, 1, 3]
    assert found.turn.tolist() == [0, 3, 0, 0]
    check(level, asked, found, _IMAGES)
    (animation,) = found.animations
    assert list(animation.frames) == [1, 2, 3]


def test_corners_may_be_some_pixels_away() -> None:
    level = Level.empty(Game.TR4)
    near, far = [(1, 1), (60, 2), (64, 63), (4, 59)], [(1, 1), (58, 2), (64, 63), (4, 59)]
    found = add_room_textures(level, requests(near, far), _IMAGES, sets=[pictures()])
    assert groups(level) == [[0, 1, 2]]
    assert found.index.tolist() == [0, 3]


def test_each_kind_of_face_has_its_own_frames() -> None:
    level = Level.empty(Game.TR4)
    asked = requests(QUAD, QUAD[:3], moved(QUAD[::-1], 64, 0), QUAD, QUAD, blend=[0, 0, 0, 2, 0])
    found = add_room_textures(level, asked, _IMAGES, sets=[pictures()])
    assert groups(level) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert found.index.tolist() == [0, 3, 7, 9, 0]
    check(level, asked, found, _IMAGES)
    assert level.object_textures["attribute"].tolist() == [0] * 9 + [2] * 3


def test_frames_can_be_repeated() -> None:
    level = Level.empty(Game.TR3)
    source = AnimatedSet("Blink", 0, 16, 0, [frame(0, 0, 2), frame(64, 64)])
    add_room_textures(level, requests(moved(QUAD, 64, 64)), _IMAGES, sets=[source])
    assert groups(level) == [[0, 1, 2]]
    uv = level.object_textures["uv"].tolist()
    assert uv[0] == uv[1] != uv[2]


def test_still_faces_with_the_pixels_of_frames_have_their_own_texture() -> None:
    level = Level.empty(Game.TR4)
    images = {1: _IMAGES[1], 2: _IMAGES[1]}
    source = AnimatedSet("Blink", 0, 16, 0, [frame(0, 0, 2), frame(64, 0)])
    still = [moved(QUAD, 0, 64), QUAD, moved(QUAD, 64, 0)]
    asked = requests(*still, *still, QUAD, moved(QUAD, 64, 0), image=[2, 2, 2, 1, 2, 2, 1, 1])
    found = add_room_textures(level, asked, images, sets=[source])
    # The areas of the two images are equal: still faces share textures, but none with frames.
    assert groups(level) == [[3, 4, 5]]
    assert found.index.tolist() == [0, 1, 2, 0, 1, 2, 3, 5]
    assert [list(each.frames) for each in found.animations] == groups(level)
    assert len(level.object_textures) == 6 and len(np.unique(level.object_textures)) == 3
    check(level, asked, found, images)


@pytest.mark.parametrize(
    "source",
    [
        AnimatedSet("One", 0, 16, 0, [frame(0, 0)]),
        AnimatedSet("None", 2, 16, 0, []),
        AnimatedSet("Stopped", 0, 0, 0, [frame(0, 0), frame(64, 0)]),
        AnimatedSet("Video", 5, 16, 0, [frame(0, 0), frame(64, 0)]),
        AnimatedSet("Other image", 0, 16, 0, [frame(0, 0, image=2), frame(64, 0, image=2)]),
    ],
)
def test_sets_that_do_not_move_are_no_animated_textures(source: AnimatedSet) -> None:
    level = Level.empty(Game.TR4)
    found = add_room_textures(level, requests(QUAD), _IMAGES, sets=[source])
    assert groups(level) == []
    assert found.index.tolist() == [0]


def test_models_with_the_pixels_of_a_frame_are_animated() -> None:
    model = np.zeros((128, 128, 4), np.uint8)
    model[32:96, 64:] = _IMAGES[1][:64, 64:128]  # the second frame
    images = {**_IMAGES, 5: model}
    shown = moved(QUAD, 64, 32)
    asked = requests(shown[:3], shown, moved(QUAD, 60, 32), image=5)
    level = Level.empty(Game.TR4)
    found = add_room_textures(level, asked, images, sets=[pictures()], foreign=[5])
    assert groups(level) == [[0, 1, 2], [3, 4, 5]]
    assert found.index.tolist() == [1, 4, 6]
    check(level, asked, found, images)
    # Without it, or for other images of the project, only places count.
    level = Level.empty(Game.TR4)
    add_room_textures(level, asked, images, sets=[pictures()])
    assert groups(level) == []


def test_pixels_of_rotating_sets_come_first_on_pages() -> None:
    level = Level.empty(Game.TR4)
    flow = AnimatedSet("Fall", 2, 16, 0, [frame(0, 64)])
    asked = requests(QUAD, moved(QUAD, 0, 64), moved(QUAD, 128, 128))
    add_room_textures(level, asked, _IMAGES, sets=[pictures(), flow])
    lefts = [round(float(drawn_corners(level, index)[:, 0].min())) for index in range(5)]
    # Still areas, then rotating frames, then the others; 8 pixels of padding.
    assert [lefts[index] for index in (4, 3, 0)] == [8, 88, 168]


def test_rotating_sets_come_first_and_are_doubled() -> None:
    level = Level.empty(Game.TR4)
    still = pictures()
    flow = AnimatedSet("Fall", 2, 16, 0, [frame(0, 64)])
    asked = requests(QUAD, moved(QUAD, 0, 64))
    image = noise(256, 512)
    image[64:128:2] = 0, 0, 0, 255
    image[65:128:2] = 100, 100, 100, 255
    found = add_room_textures(level, asked, {1: image}, sets=[still, flow])
    assert groups(level) == [[3], [0, 1, 2]]
    assert level.uv_rotates == 1
    assert [each.source for each in found.animations] == [flow, still]
    # Its pixels are at half their height: two rows become one.
    low = np.rint(drawn_corners(level, 3).min(axis=0)).astype(int)
    area = page_of(level)[low[1] : low[1] + 64, low[0] : low[0] + 64]
    assert (area[..., :3] == 50).all()


def test_triangles_of_rotating_sets_become_quads() -> None:
    flow = AnimatedSet("Fall", 2, 16, 0, [frame(0, 64)])
    middle = moved(QUAD[:3], 0, 64)  # its right angle is the second corner
    asked = requests(middle, turned(middle, 1))
    level = Level.empty(Game.TR4)
    found = add_room_textures(level, asked, _IMAGES, sets=[flow])
    assert found.as_quad.tolist() == [True, False]
    assert groups(level) == [[0]]
    assert found.index.tolist() == [0, 1]
    assert found.turn.tolist() == [0, 0]
    old = Level.empty(Game.TR3)
    found = add_room_textures(old, asked, _IMAGES, sets=[flow])
    assert not found.as_quad.any()


def test_animated_textures_of_the_level_stay() -> None:
    level = Level.empty(Game.TR4)
    flow = AnimatedSet("Fall", 2, 16, 0, [frame(0, 64)])
    asked = requests(QUAD, moved(QUAD, 0, 64))
    add_room_textures(level, asked, _IMAGES, sets=[pictures(), flow])
    add_room_textures(level, asked, _IMAGES, sets=[pictures(), flow])
    assert groups(level) == [[3], [7], [0, 1, 2], [4, 5, 6]]
    assert level.uv_rotates == 2


def test_settings_of_animated_textures_in_trng() -> None:
    level = Level.empty(Game.TR4)
    sets = [
        AnimatedSet("Unused", 0, 16, 0, [frame(0, 128), frame(64, 128)]),
        pictures(fps=5.0),
        AnimatedSet("River", 3, 20.4, -2, [frame(0, 64)]),
        AnimatedSet("P", 1, 16, 0, [frame(64, 64), frame(128, 64)]),
    ]
    asked = requests(QUAD, moved(QUAD, 0, 64), moved(QUAD, 64, 64))
    found = add_room_textures(level, asked, _IMAGES, sets=sets)
    assert groups(level) == [[3], [0, 1, 2], [4, 5]]
    footer = with_animations(TrngFooter(), level, found.animations, sets)
    payload = footer.get(ANIMATIONS)
    assert payload is not None
    assert len(payload) == 4 + 240 + 2
    assert unpack("<BBH", payload[:4]) == (1, 1, 3)
    words = np.frombuffer(payload[4:-2], "<u2").reshape(3, 40)
    assert words[0, :4].tolist() == [0xA000 | 20 << 8 | 0xFE, 200, 0x4000, 0]
    assert words[1, :4].tolist() == words[2, :4].tolist() == [2, 1, 3, 0]
    assert payload[-2:] == b"\x40\x00"
    tiles = footer.get(REMAPPED_TILES)
    assert tiles is not None
    assert np.frombuffer(tiles, "<u2").tolist() == [6, 2, 3, 1, 0, 1, 1, 1, 2, 3, 4, 3, 5]
    # Levels without animated textures have an empty list of them.
    footer = with_animations(TrngFooter(), Level.empty(Game.TR4), [], sets)
    assert footer.get(ANIMATIONS) == b"\1" + bytes(3 + 240) + b"\x40\0" and footer.get(REMAPPED_TILES) is None


# --- Images ------------------------------------------------------------------------------------


def test_wide_images_are_folded() -> None:
    image = noise(512, 130)
    found = fold_image(image)
    assert found.shape == (384, 256, 4)
    assert (found[:64] == image[:64, :256]).all()
    assert (found[64:128] == image[:64, 256:]).all()
    assert (found[128:192] == image[64:128, :256]).all()
    assert (found[256:258] == image[128:, :256]).all()
    assert (found[320:322] == image[128:, 256:]).all()
    assert fold_image(found) is found


def test_magenta_is_transparent() -> None:
    image = noise(64, 64)
    image[3, 4] = 255, 0, 255, 255
    image[3, 5] = 255, 0, 255, 128
    found = clear_magenta(image)
    assert found[3, 4].tolist() == [0, 0, 0, 0]
    assert found[3, 5].tolist() == [255, 0, 255, 128]
    assert image[3, 4].tolist() == [255, 0, 255, 255]
    assert level_image(LevelTexture(1, "", magenta=False), image) is image
    assert level_image(LevelTexture(1, "", cut_512=True), noise(512, 64)).shape == (128, 256, 4)


# --- Footsteps ---------------------------------------------------------------------------------


def test_footsteps_follow_the_texture_of_the_floor() -> None:
    shape = RoomShape.empty(4, 3)
    faces = np.zeros(7, FACE)
    at = [((5, 70), 1), ((64, 0), 1), ((64, 0), 2), ((0, 64), 1), ((700, 0), 1), ((0, 0), -1), ((0, 64), 1)]
    for row, ((x, y), number) in enumerate(at):
        faces[row]["corners"] = moved(QUAD, x, y)
        faces[row]["texture"], faces[row]["sector"], faces[row]["face"] = number, row, Face.FLOOR
    faces[6]["sector"], faces[6]["face"] = 1, Face.FLOOR_TRIANGLE_2
    more = np.zeros(2, FACE)
    more["texture"], more["sector"], more["face"] = 1, [4, 5], Face.FLOOR_TRIANGLE_2
    more["corners"] = moved(QUAD, 64, 64)
    more["corners"][1] = 5, 5  # without an area
    shape.faces = np.concatenate([faces, more])
    texture = LevelTexture(1, "", footsteps=np.array([[0, 18], [7, 9]], np.uint8))
    (found,) = footsteps([shape], [texture])
    # 18 in four bits; a missing image; outside of the tiles; invisible.
    assert found.ravel().tolist() == [7, 2, 6, 7, 9, 6, 6, 6, 6, 6, 6, 6]
