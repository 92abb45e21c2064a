"""Tests of levels that projects are compiled to."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.objects.placed import pack_tint
from io_tomb_raider.formats.editors.projects.compile.plan.plan import angle
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.placed import moveable
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Direction,
    Flyby,
    Light,
    Moveable,
    ProjectPortal,
    Sink,
    SoundSource,
    Sprite,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.settings import TexturedArea
from io_tomb_raider.formats.editors.projects.model.shape import Face, SectorSide
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Severity

from ..random_rooms import worlds
from .compile_samples import compiled, connect, lara, plain_room, project_of, texture_all, written

EACH_GAME = pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)


def simple(game: Game, folder: Path) -> tuple[list[ProjectRoom], object]:
    rooms = [plain_room(0), plain_room(3, x=5), plain_room(7, y=-3072)]
    rooms[0].objects.append(lara())
    connect(rooms[0], rooms[1], Direction.POSITIVE_X, (10, 11))
    connect(rooms[0], rooms[2], Direction.FLOOR, (12, 13))
    texture_all(rooms)
    return rooms, project_of(rooms, game, folder)


@EACH_GAME
def test_a_compiled_level_has_no_findings(game: Game, tmp_path: Path) -> None:
    rooms = [plain_room(0), plain_room(3, x=5), plain_room(7, y=-3072)]
    rooms[0].objects.append(lara())
    connect(rooms[0], rooms[1], Direction.POSITIVE_X, (10, 11))
    connect(rooms[0], rooms[2], Direction.FLOOR, (12, 13))
    texture_all(rooms)
    made = compiled(project_of(rooms, game, tmp_path), tmp_path)
    level = written(made.level)
    # TR5 needs two entities in some levels, which the editor places far away.
    needed = [434, 446] if game is Game.TR5 else []
    assert level.entities["type"].tolist() == [0, *needed]
    assert [each.check for each in check_level(level)] == ["outside"] * len(needed)
    assert made.log.warnings == []
    assert level.game is game and len(level.rooms) == 3 and made.origin.rooms == [0, 3, 7]
    # 16 floors less 16 openings, 16 ceilings, and walls on four sides less the portal's four.
    assert [len(room.quads) for room in level.rooms] == [16 + 12, 32 + 12, 16 + 16]
    assert [len(room.portals) for room in level.rooms] == [2, 1, 1]
    assert [room.portals["room"].tolist() for room in level.rooms] == [[2, 1], [0], [0]]
    assert level.to_bytes() == made.level.to_bytes()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rooms=worlds(wild=False))
def test_random_rooms_have_no_damage(rooms: list[ProjectRoom], tmp_path: Path) -> None:
    texture_all(rooms)
    made = compiled(project_of(rooms, Game.TR4, tmp_path), tmp_path)
    level = written(made.level)
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []
    assert level.to_bytes() == made.level.to_bytes()
    for room, source in zip(level.rooms, made.origin.rooms, strict=True):
        assert (room.x, room.z) == (rooms[source].x * 1024, rooms[source].z * 1024)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rooms=worlds())
def test_wild_rooms_compile(rooms: list[ProjectRoom], tmp_path: Path) -> None:
    texture_all(rooms)
    level = written(compiled(project_of(rooms, Game.TR4, tmp_path), tmp_path).level)
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []


def test_rooms_have_their_flags_and_schemes(tmp_path: Path) -> None:
    dry, wet, mud = plain_room(0), plain_room(1, y=-3072), plain_room(2, x=9)
    connect(dry, wet, Direction.FLOOR, (10, 11))
    wet.kind, wet.effect_strength = RoomType.WATER, 2
    mud.kind, mud.horizon, mud.outside, mud.reverb = RoomType.QUICKSAND, True, True, 3
    dry.effect, dry.effect_strength = LightEffect.DEFAULT, 1
    rooms = [dry, wet, mud]
    texture_all(rooms)
    tr4 = compiled(project_of(rooms, Game.TR4, tmp_path), tmp_path).level
    assert [room.flags for room in tr4.rooms] == [0x40, 0x40 | 0x1 | 0x100, 0x40 | 0x4 | 0x8 | 0x20]
    assert [room.water_scheme for room in tr4.rooms] == [4 * 2 + 1, 0, 5]
    assert tr4.rooms[2].reverb == 3
    assert (tr4.rooms[1].y_top, tr4.rooms[1].y_bottom) == (0, 3072)
    tr3 = compiled(project_of(rooms, Game.TR3, tmp_path), tmp_path).level
    assert tr3.rooms[2].flags & 0x80 and not tr3.rooms[2].flags & 0x4


def test_vertices_of_water_surfaces_move(tmp_path: Path) -> None:
    dry, wet = plain_room(0), plain_room(1, y=-3072)
    connect(dry, wet, Direction.FLOOR, (10, 11))
    wet.kind = RoomType.WATER
    texture_all([dry, wet])
    for room in (dry, wet):
        for portal in room.each(ProjectPortal):
            portal.opacity = 2
    texture_all([dry, wet])
    level = compiled(project_of([dry, wet], Game.TR4, tmp_path), tmp_path).level
    vertices = level.rooms[0].vertices
    moving = vertices[vertices["attributes"] & 0x2000 != 0]
    inside = {(x * 1024, z * 1024) for x in (2, 3, 4) for z in (2, 3, 4)}
    assert {(int(x), int(z)) for x, z in zip(moving["x"], moving["z"], strict=True)} == inside
    assert set(moving["y"].tolist()) == {0}
    assert (level.rooms[1].vertices["attributes"] & 0x4000).any()


def test_flip_rooms_name_each_other(tmp_path: Path) -> None:
    rooms = [plain_room(0), plain_room(4), plain_room(9, x=5)]
    rooms[0].alternate = 3, 4
    connect(rooms[0], rooms[2], Direction.POSITIVE_X, (10, 11))
    rooms[1].objects.append(ProjectPortal(12, rooms[0].objects[0].area, 9, Direction.POSITIVE_X))
    texture_all(rooms)
    level = compiled(project_of(rooms, Game.TR4, tmp_path), tmp_path).level
    assert [room.alternate_room for room in level.rooms] == [1, -1, -1]
    assert [room.alternate_group for room in level.rooms] == [3, 3, 0]
    assert level.rooms[2].portals["room"].tolist() == [0]


def test_objects_are_placed_as_in_the_project(tmp_path: Path) -> None:
    room = plain_room(0, x=2, z=3, y=512)
    texture_all([room])
    enemy = Moveable(
        5, (1536.4, 256, 2560), slot=0, y=90.0, ocb=7, invisible=True, clear_body=True, code_bits=3
    )
    room.objects += [
        lara(0),
        Static(1, (1536, 0, 1536), slot=3, y=180.0, ocb=9, color=(2.0, 1.0, 0.0)),
        Sink(2, (1536, 0, 1536), strength=12),
        Camera(3, (1536, 512, 1536), mode=2, move_timer=4, glide_out=True),
        Flyby(4, (1536, 512, 1536), y=90.0, speed=2.0, sequence=1, index=1),
        Flyby(6, (1536, 512, 1536), sequence=1, index=0),
        SoundSource(7, (1536, 0, 1536), sound=2000),
        Light(8, (1536, 1024, 1536)),
        enemy,
    ]
    project = project_of([room], Game.TR4, tmp_path)
    made = compiled(project, tmp_path, keep=True)
    level = made.level
    assert made.origin.entities == [0] and made.origin.cameras == [3, 2] and made.origin.flybys == [6, 4]
    assert any("second Lara" in each for each in made.log.warnings)
    enemy.slot = int(next(each for each in level.models["id"] if each))
    level = compiled(project, tmp_path).level
    record = level.entities[1]
    assert [int(record[axis]) for axis in "xyz"] == [2 * 1024 + 1536, -768, 3 * 1024 + 2560]
    assert int(record["angle"]) == 0x4000 and int(record["ocb"]) == 7
    assert int(record["flags"]) == 3 << 9 | 0x80 | 0x100 and int(record["intensity"]) == -1
    assert [int(level.cameras["room"][0]), int(level.cameras["flags"][0])] == [0, 3 | 4]
    assert int(level.cameras["room"][1]) == 12
    assert int(level.cameras["flags"][1]) == int(level.rooms[0].sectors["box"][7] >> 4 & 0x7FF)
    target = level.flyby_cameras["target"][1] - [int(level.flyby_cameras[axis][1]) for axis in "xyz"]
    assert target.tolist() == [1024, 0, 0] and int(level.flyby_cameras["speed"][1]) == 1310
    assert len(level.sound_sources) == 0 and len(level.rooms[0].lights) == 1


def test_missing_slots_are_omitted_or_kept(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects += [
        lara(),
        Moveable(1, (1536, 0, 1536), slot=777),
        Static(2, (1536, 0, 1536), slot=888),
    ]
    project = project_of([room], Game.TR4, tmp_path)
    made = compiled(project, tmp_path)
    # An engine would show another static mesh in its place.
    assert len(made.level.entities) == 1
    assert made.level.rooms[0].static_meshes["static_mesh"].tolist() == []
    assert sum("777" in each or "888" in each for each in made.log.warnings) == 2
    kept = compiled(project, tmp_path, keep=True)
    assert kept.origin.entities == [0, 1] and kept.origin.statics == [[2]]


def test_markers_without_a_model_are_omitted(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects += [
        lara(),
        Moveable(1, (1536, 0, 1536), slot=400),
        Moveable(2, (1536, 0, 1536), slot=406),
    ]
    project = project_of([room], Game.TR4, tmp_path)
    assert len(compiled(project, tmp_path).level.ai_objects) == 0
    assert compiled(project, tmp_path, keep=True).level.ai_objects["type"].tolist() == [406, 400]
    level = read_level(tmp_path / project.settings.wads[0])
    level.models = level.models.copy()
    level.models["id"][-1] = 400
    (tmp_path / project.settings.wads[0]).write_bytes(level.to_bytes())
    made = compiled(project, tmp_path).level.ai_objects
    assert made["type"].tolist() == [400] and made["box"].tolist() == [0]


def test_angles_stay_below_a_whole_turn() -> None:
    assert [angle(each) for each in (0, 90, -90, 359.998, 360, 450)] == [0, 0x4000, 0xC000, 0xFFFF, 0, 0x4000]


@pytest.mark.parametrize(
    ("game", "model", "sprite"), [(Game.TR1, 99, 84), (Game.TR2, 133, 192), (Game.TR3, 160, 160)]
)
def test_item_models_become_entities_with_pickup_sprites(
    game: Game, model: int, sprite: int, tmp_path: Path
) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects += [lara(), Moveable(1, (1536, 0, 1536), slot=model)]
    project = project_of([room], game, tmp_path)
    level = compiled(project, tmp_path, keep=True).level
    assert level.entities["type"].tolist() == [0, sprite]
    back = moveable(game, room, level.entities[1], 1)
    assert back.slot == model


def test_tints(tmp_path: Path) -> None:
    red = (1.0, 0.25, 0.0)
    assert pack_tint(Game.TR4, red) == 4 << 5 | 16
    # With colors of 24 bits, the upper five bits of each are stored.
    assert pack_tint(Game.TR4, (0.99, 0.0, 0.0), wide=True) == 127 >> 3
    assert pack_tint(Game.TR4, (0.99, 0.0, 0.0)) == 16
    room = plain_room(0)
    texture_all([room])
    room.objects += [lara(), Static(1, (1536, 0, 1536), slot=1, color=red)]
    level = compiled(project_of([room], Game.TR2, tmp_path), tmp_path, keep=True).level
    # The editor takes the brightness of blue for that of red, and in items it does not.
    (static,) = level.rooms[0].static_meshes
    assert int(static["intensity"]) == pack_tint(Game.TR2, red[::-1]) != pack_tint(Game.TR2, red)
    assert int(static["intensity2"]) == int(static["intensity"])


def test_flybys_with_one_number_are_reported(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects += [lara(), Flyby(1, sequence=2, index=3), Flyby(2, sequence=2, index=3), Flyby(3)]
    warnings = compiled(project_of([room], Game.TR4, tmp_path), tmp_path).log.warnings
    assert sum("sequence 2" in each for each in warnings) == 1


def test_flybys_of_old_games_are_frames_of_a_cutscene(tmp_path: Path) -> None:
    room = plain_room(0, x=2, z=3, y=512)
    texture_all([room])
    middle = (3072.0, 0.0, 3072.0)
    room.objects += [
        lara(0, middle),
        Flyby(1, (3072, 1024, 4096), y=180.0, sequence=1, index=0, roll=90.0),
        Flyby(2, (4096, 512, 4096), y=180.0, sequence=1, index=1, speed=2.0, timer=5),
    ]
    made = compiled(project_of([room], Game.TR1, tmp_path), tmp_path)
    frames = written(made.level).cinematic_frames
    assert frames["position"][0].tolist() == [0, -1024, 1024] and frames["target"][0].tolist() == [
        0,
        -1024,
        0,
    ]
    assert int(frames["fov"][0]) == 8000 and int(frames["roll"][0]) == 0x4000
    # The path ends at the last camera; the speed rises from 1 to 2, and the second camera waits for 5 frames.
    assert abs(frames["position"][-1] - [1024, -512, 1024]).max() <= 1024 / 60  # a frame at speed 2
    assert 60 + 5 < len(frames) < 120
    repeated = (frames[1:] == frames[:-1]).sum()
    assert repeated == 5
    room.objects[0].y = 90.0
    turned = compiled(project_of([room], Game.TR1, tmp_path), tmp_path).level.cinematic_frames
    assert turned["position"][0].tolist() == [-1024, -1024, 0]
    del room.objects[0]
    assert len(compiled(project_of([room], Game.TR1, tmp_path), tmp_path).level.cinematic_frames) == 0


@EACH_GAME
def test_unused_objects_are_omitted(game: Game, tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], game, tmp_path)
    level = read_level(tmp_path / project.settings.wads[0])
    level.models, level.static_meshes = level.models.copy(), level.static_meshes.copy()
    # No catalog has number 1000; the last model is placed.
    level.models["id"][-2:] = 1000, 1001
    (tmp_path / project.settings.wads[0]).write_bytes(level.to_bytes())
    kept = int(level.static_meshes["id"][0])
    room.objects += [
        lara(),
        Moveable(1, (1536, 0, 1536), slot=1001),
        Static(2, (1536, 0, 1536), slot=kept),
    ]
    everything = compiled(project, tmp_path)
    assert 1000 in everything.level.models["id"] and len(everything.level.static_meshes) > 1
    project.settings.remove_unused_objects = True
    made = compiled(project, tmp_path)
    less = written(made.level)
    assert less.static_meshes["id"].tolist() == [kept]
    assert 1000 not in less.models["id"] and {0, 1001} <= set(less.models["id"].tolist())
    assert len(less.mesh_pointers) < len(everything.level.mesh_pointers)
    assert any("unused static mesh" in each.text for each in made.log.lines)
    assert 1000 in compiled(project, tmp_path, keep=True).level.models["id"]


def test_faces_without_image_are_omitted_or_gray(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects.append(lara())
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.textures[0].path = "lost.png"
    made = compiled(project, tmp_path)
    assert len(made.level.rooms[0].quads) == 0
    assert [each.path for each in made.missing] == ["lost.png"]
    assert len(compiled(project, tmp_path, keep=True).level.rooms[0].quads) == 48


def test_materials_of_missing_images_are_stone(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.textures[0].footsteps = np.full((2, 2), 9, np.uint8)
    known = compiled(project, tmp_path).level.rooms[0].sectors["box"][7] & 0xF
    project.settings.textures[0].path = "lost.png"
    lost = compiled(project, tmp_path).level.rooms[0].sectors["box"][7] & 0xF
    assert (known, lost) == (9, 6)


def test_trx_targets_have_split_floors(tmp_path: Path) -> None:
    room = plain_room(0)
    room.shape.floor.heights[2, 2, 0] = 512
    room.objects.append(lara())
    texture_all([room])
    made = compiled(project_of([room], Game.TR1, tmp_path, version=11), tmp_path)
    assert made.level.footer[:4].tobytes() == b"TRXJ"
    level = written(made.level)
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []
    decoded = Decoded(level, Target.TRX)
    heights = decoded.sectors.floor.heights[2 * 6 + 2] if hasattr(decoded, "sectors") else None
    assert heights is not None and np.unique(heights).tolist() != [0]


_FINE = (77, 131, 203, 255)  # a color that fewer bits cannot store


@pytest.mark.parametrize(
    ("game", "version", "depth", "color"),
    [
        (Game.TR1, 11, 0, None),
        (Game.TR1, 11, 1, None),
        (Game.TR1, 11, 2, (74, 131, 205, 255)),
        (Game.TR1, 11, 3, _FINE),
        (Game.TR1, 1, 3, None),
        (Game.TR2, 12, 0, None),
        (Game.TR2, 12, 1, (76, 128, 200, 255)),
        (Game.TR2, 12, 2, None),
        (Game.TR2, 12, 3, _FINE),
    ],
)
def test_pages_of_trx_have_the_color_depth_of_the_project(
    game: Game, version: int, depth: int, color: tuple[int, ...] | None, tmp_path: Path
) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], game, tmp_path, version=version)
    project.settings.trx_texture_depth = depth

    def fine(path: Path) -> np.ndarray:
        return np.full((64, 64, 4), _FINE, np.uint8)

    made = compile_project(project, Resources(paths_of(project.settings, tmp_path / "p.prj2"), fine))
    decoded = Decoded(written(made.level), Target.TRX)
    edits = decoded.pages.edits
    if color is None:
        assert edits == ()
        return
    assert [(each.page, each.x, each.y) for each in edits] == [(n, 0, 0) for n in range(len(decoded.texels))]
    face = decoded.level.rooms[0].quads[0]
    record = decoded.level.object_textures[face["texture"] & 0x7FFF]
    x, y = (record["uv"].astype(int).mean(axis=0) / 256).astype(int)
    assert tuple(decoded.texels[record["page"], y, x].tolist()) == color


def test_rooms_of_old_games_have_sprites(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], Game.TR1, tmp_path)
    sequence = read_level(tmp_path / project.settings.wads[0]).sprite_sequences[0]
    last = -int(sequence["negative_length"]) - 1
    room.objects += [
        lara(),
        Sprite(1, (1536.9, 256.9, 2560.9), slot=int(sequence["id"]), frame=last, color=(1, 0, 0)),
        Sprite(2, slot=12345),
        Sprite(3, slot=int(sequence["id"]), frame=last + 1),
    ]
    level = written(compiled(project, tmp_path).level)
    (sprite,) = level.rooms[0].sprites
    vertex = level.rooms[0].vertices[int(sprite["vertex"])]
    assert [int(vertex[axis]) for axis in "xyz"] == [1536, -256, 2560]
    # Red is as dark as blue would be.
    assert int(vertex["light"]) == int((1 - 0.0722 / 2) * 255) << 5
    names = level.sprite_sequences[level.sprite_sequences["id"] == sequence["id"]]
    assert int(sprite["texture"]) == last + int(names["first"][0])
    assert len(written(compiled(project, tmp_path).level).rooms[0].sprites) == 1


def test_tr5_has_extra_sprites(tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects.append(lara())
    project = project_of([room], Game.TR5, tmp_path)
    (tmp_path / "extra.pc").write_bytes(np.full((256, 256, 4), (1, 2, 3, 255), np.uint8).tobytes())
    project.settings.extra_sprites_path = "extra.pc"
    before = read_level(tmp_path / project.settings.wads[0]).misc_textiles32
    extra, font, _ = compiled(project, tmp_path).level.misc_textiles32
    assert (extra == (1, 2, 3, 255)).all() and (font == before[1]).all()


def test_font_and_sky_are_those_of_the_project(tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects.append(lara())
    project = project_of([room], Game.TR4, tmp_path)
    pixels = np.zeros((256, 256, 3), np.uint8)
    pixels[..., 0] = 200
    (tmp_path / "font.raw").write_bytes(pixels.tobytes())
    (tmp_path / "sky.pc").write_bytes(np.full((256, 256, 4), (1, 2, 3, 255), np.uint8).tobytes())
    project.settings.font_path, project.settings.sky_path = "$(LevelDirectory)\\Font.RAW", "sky.pc"
    made = compiled(project, tmp_path)
    font, sky = made.level.misc_textiles32
    assert (font == (0, 0, 200, 255)).all()
    assert (sky == (1, 2, 3, 255)).all() and made.log.warnings == []
    (tmp_path / "font.raw").write_bytes(b"short")
    project.settings.sky_path = "lost.png"
    made = compiled(project, tmp_path)
    assert len(made.log.warnings) == 2 and [str(each.use) for each in made.missing] == ["sky"]
    project.settings.wads, project.settings.font_path = [], ""
    assert any("no font" in each for each in compiled(project, tmp_path).log.warnings)


def test_faces_without_texture_have_that_of_the_project(tmp_path: Path) -> None:
    room = plain_room(0, size=(3, 3))
    texture_all([room])
    records = room.shape.faces
    sector = 1 + 1 * 3
    is_floor = (records["sector"] == sector) & (records["face"] == Face.FLOOR)
    records["texture"][(records["sector"] == sector) & (records["face"] == Face.CEILING)] = -1
    room.shape.faces = records[~is_floor]
    project = project_of([room], Game.TR4, tmp_path)
    assert len(compiled(project, tmp_path).origin.quads[0]) == 4
    corners = ((64, 64), (96, 64), (96, 96), (64, 96))
    project.settings.default_texture = TexturedArea(0, corners)
    made = compiled(project, tmp_path)
    # Invisible faces stay invisible.
    faces = [face for at, face in made.origin.quads[0].tolist() if at == sector]
    assert faces == [Face.FLOOR]
    assert len(made.origin.quads[0]) == 5


def test_default_textures_follow_the_order_in_which_faces_are_built(tmp_path: Path) -> None:
    room = plain_room(0, size=(4, 4))
    room.shape.floor.heights[1, 1] = 256
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.default_texture = TexturedArea(0, ((0, 0), (32, 0), (32, 32), (0, 32)))
    made = compiled(project, tmp_path)
    faces = [face for at, face in made.origin.quads[0].tolist() if at == 1 + 1 * 4]
    assert faces == [
        Face.QA + SectorSide.POSITIVE_Z,
        Face.QA + SectorSide.POSITIVE_X,
        Face.FLOOR,
        Face.CEILING,
    ]


def test_faces_with_nan_corners_are_left_out(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects.append(lara())
    project = project_of([room], Game.TR4, tmp_path)
    before = written(compiled(project, tmp_path).level).rooms[0]
    room.shape.faces["corners"][0, 2, 1] = np.nan
    room.shape.faces["corners"][1, 0, 0] = np.inf
    read = read_project(project.to_bytes())
    with warnings.catch_warnings(action="error"):
        after = written(compiled(read, tmp_path).level).rooms[0]
    assert len(after.quads) == len(before.quads) - 2
    assert read.to_bytes() == project.to_bytes(), "untouched, they stay as they are"
