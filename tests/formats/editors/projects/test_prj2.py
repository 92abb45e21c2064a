"""Projects of Tomb Editor: unchanged chunks stay, changed ones are written in today's form."""

from __future__ import annotations

import copy
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Flyby,
    Light,
    Memo,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    Positioned,
    ProjectPortal,
    ProjectTrigger,
    SoundSource,
    Static,
    Volume,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.readable import readable
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    EventSet,
    GameVersion,
    ImportedModel,
    LevelTexture,
    MergedStatic,
    Settings,
    TexturedArea,
)
from io_tomb_raider.formats.editors.projects.model.shape import FACE, MOST_SPLITS, Face, RoomShape

from ....real_levels import real_projects
from ....sample_projects import (
    SQUARE,
    box_room,
    face,
    floats,
    old_objects,
    old_project,
    old_room,
    project_file,
    sample_project,
    sector,
)
from ....wad2_samples import leaf, leb, node

pytestmark = pytest.mark.once

TARGETS = (GameVersion.TR4, GameVersion.TRNG, GameVersion.TOMB_ENGINE)
each_real_project = pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.name) for path in real_projects(".prj2")]
)


# --- An independent reader of chunks ---------------------------------------------------------

# Chunks with children, by the number of values before these; -4: a number of four bytes.
PARENTS = {
    **dict.fromkeys(("TeSettings", "TeRooms", "TeSecs", "TeObjects", "TeTextures", "TeLvlTexture"), 0),
    **dict.fromkeys(("TeImportedGeometries", "TeImportedGeometry", "TeAnimatedTextureSets"), 0),
    **dict.fromkeys(("TeAnimatedTextureSet", "TeFrames", "TeMergeStatics", "TeWads", "TeWad"), 0),
    **dict.fromkeys(("TeSoundsCatalogs", "TeSelectedSounds", "TeOldWadSoundPaths", "TeVolumeEventSets"), 0),
    "TeRoom": 2,
    "TeS": -4,
}


def read_leb(data: bytes, at: int) -> tuple[int, int]:
    """Return a number, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return (value - (1 << shift) if byte & 0x40 else value), at


def chunks(data: bytes, at: int = 0, path: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the paths and bytes of all chunks without children, and the start of those with children."""
    while at < len(data):
        start = at
        length, at = read_leb(data, at)
        if not length:
            return
        raw = data[at : at + length]
        size, at = read_leb(data, at + length)
        body = data[at : at + size]
        at += size
        name = raw.decode() if length > 1 else f"#{raw[0]}"
        place = f"{path}/{name}"
        if name == "TeRoom" and not path.endswith("TeRooms"):
            yield place, data[start:at]
        elif name in PARENTS:
            first = 0
            for _ in range(PARENTS[name] if PARENTS[name] > 0 else 0):
                _, first = read_leb(body, first)
            first = 4 if PARENTS[name] < 0 else first
            yield place, body[:first]
            yield from chunks(body, first, place)
        else:
            yield place, data[start:at]


def leaves(data: bytes) -> list[tuple[str, bytes]]:
    """Return the chunks of a file."""
    return [*chunks(data, 8)]


def changes(before: bytes, after: bytes) -> tuple[list[str], list[str]]:
    """Return the names of chunks that are only in the one file, and only in the other."""
    one, other = Counter(leaves(before)), Counter(leaves(after))
    return tuple(
        sorted(path.rsplit("/", 1)[1] for path, _ in (a - b).elements())
        for a, b in ((one, other), (other, one))
    )  # type: ignore[return-value]


# --- Untouched ---------------------------------------------------------------------------------


@each_real_project
def test_real_projects_stay_the_same(path: Path) -> None:
    data = path.read_bytes()
    assert read_project(path).to_bytes() == data


@each_real_project
def test_copies_of_real_projects_stay_the_same(path: Path) -> None:
    """No part depends on the identity of an object."""
    assert copy.deepcopy(read_project(path)).to_bytes() == path.read_bytes()


@each_real_project
def test_one_moved_object_of_a_real_project_is_one_chunk(path: Path) -> None:
    data = path.read_bytes()
    project = read_project(data)
    places = [(room, index) for room in project.rooms for index in range(len(room.objects))]
    for owner, index in places[:: 1 + len(places) // 4]:
        obj = owner.objects[index]
        if isinstance(obj, Positioned):
            owner.objects[index] = replace(obj, position=(1.5, 2.5, 3.5))
            before, after = changes(data, project.to_bytes())
            assert (len(before), len(after)) == (1, 1)
            owner.objects[index] = obj
    assert project.to_bytes() == data


@each_real_project
def test_real_projects_have_equal_values_after_a_full_rewrite(path: Path) -> None:
    """All decoded values survive in today's form."""
    project = read_project(path)
    again = read_project(without_sources(project).to_bytes())
    assert_same(again, project)


def without_sources(project: Project) -> Project:
    """Return a project that was never read."""

    def bare(values: list[Any]) -> list[Any]:
        return [replace(each, source=None) for each in values]

    rooms = [replace(room, source=None, objects=bare(room.objects)) for room in project.rooms]
    lists = ("textures", "imported_geometries", "animated_sets", "merged_statics")
    sets = ("volume_event_sets", "global_event_sets")
    own = project.settings
    changed: dict[str, Any] = {name: bare(getattr(own, name)) for name in (*lists, *sets)}
    return Project(replace(own, **changed), rooms)


def assert_same(one: Project, other: Project) -> None:
    """Compare two projects. Mirrors without settings mirror all."""
    for room, like in zip(one.rooms, other.rooms, strict=True):
        assert_same_shape(room.shape, like.shape)
        rest = [replace(each, shape=None, objects=[]) for each in (room, like)]  # type: ignore[arg-type]
        assert rest[0] == rest[1]
        for obj, like_obj in zip(room.objects, like.objects, strict=True):
            assert comparable(obj, one) == comparable(like_obj, one)
    for each in fields(Settings):
        mine, theirs = getattr(one.settings, each.name), getattr(other.settings, each.name)
        if each.name == "textures":
            mine, theirs = ([texture_values(texture) for texture in value] for value in (mine, theirs))
        assert mine == theirs, each.name


def texture_values(texture: LevelTexture) -> dict[str, Any]:
    """Return the values of a texture."""
    grids = {"footsteps": texture.footsteps.tolist(), "bumps": texture.bumps.tolist()}
    return {**vars(texture), **grids, "source": None}


def comparable(obj: PlacedObject, project: Project) -> PlacedObject:
    """Return an object as far as its target knows it."""
    if isinstance(obj, ProjectPortal) and obj.mirrored is None:
        return replace(obj, mirrored=(True,) * 5)
    common = (Flyby, Light, Memo, Volume)
    if isinstance(obj, Positioned) and not isinstance(obj, common):
        if project.settings.is_tomb_engine:
            return replace(obj, script_id=-1)
        return replace(obj, lua_name="")
    return obj


def assert_same_shape(one: RoomShape, other: RoomShape) -> None:
    """Compare the sectors of two rooms."""
    for name in ("wall", "solid_floor", "flags"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for side in ("floor", "ceiling"):
        mine, theirs = getattr(one, side), getattr(other, side)
        for name in ("heights", "x_equals_z", "diagonal", "split_count"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
        used = np.arange(MOST_SPLITS) < mine.split_count[..., None]
        np.testing.assert_array_equal(mine.splits[used], theirs.splits[used])
    assert by_sector(one).tobytes() == by_sector(other).tobytes()


def by_sector(shape: RoomShape) -> Any:
    """Return the faces of a room, sector by sector."""
    return shape.faces[np.argsort(shape.faces["sector"], kind="stable")]


# --- By hand -----------------------------------------------------------------------------------


def test_a_new_project_is_packed_as_the_editor_does() -> None:
    """A room, a texture, and few objects; every byte is packed by hand."""

    def text(name: str, value: str = "") -> bytes:
        return leaf(name, value.encode())

    def number(name: str, value: int = 0) -> bytes:
        return leaf(name, leb(value))

    truth = number
    grid = pack("<ii", 1, 1)
    samples = [
        leaf("TeOldWadSoundUpdateTag1_0_8", b""),
        node("TeOldWadSoundPath", text("TePath", "$(EditorDirectory)\\Sounds\\Samples")),
        node("TeOldWadSoundPath", text("TePath", "$(GameDirectory)\\audio")),
    ]
    texture = node(
        "TeLvlTexture",
        number("TeI", 3),
        text("TePath", "a.png"),
        text("TeTextureCustomBumpmapPath"),
        truth("Te512C"),
        truth("TeMagentaR", 1),
        leaf("TeTextureSounds", grid + b"\6", 4),
        leaf("TeTextureBumpmaps", grid + b"\0", 4),
    )
    corners = floats(0, 64, 0, 0, 64, 0, 64, 64)
    settings = node(
        "TeSettings",
        *map(text, ("TeFontTextureFilePath", "TeSkyTextureFilePath", "TeTr5ExtraSpritesFilePath")),
        node("TeOldWadSoundPaths", *samples),
        text("TeGameDirectory", "$(EditorDirectory)\\Game"),
        text("TeGameLevelFilePath", "$(GameDirectory)\\data\\$(LevelName).tr4"),
        text("TeGameExecutableFilePath", "$(GameDirectory)\\Tomb4.exe"),
        truth("TeGameEnableQuickStartFeature", 1),
        truth("TeGameEnableExtraReverbPresets"),
        number("TeGameVersion", 4),
        number("TeTr5LaraType"),
        number("TeTr5Weather"),
        number("TeTexturePadding", 8),
        truth("TeRemapAnimTextures", 1),
        truth("TeRearrangeRooms", 1),
        truth("TeRemoveUnusedObjects"),
        truth("TeEnableCustomSampleRate"),
        leaf("TeCustomSampleRate", b"\xc4\xd8\x02"),
        truth("TeRoom32BitLighting"),
        truth("TeDitherTextures", 1),
        truth("TeAgressiveTexturePacking"),
        truth("TeTextureCompression"),
        truth("TeAgressiveFloordataPacking"),
        leaf("TeDefaultAmbientLight", floats(0.25, 0.25, 0.25)),
        number("TeDefaultLightQuality", 1),
        truth("TeOverrideLightQuality"),
        text("TeScriptDirectory", "$(ScriptDirectory)"),
        number("TeSoundSystem", 1),
        number("TeLastRoom"),
        text("TenLuaScriptFile", "$(ScriptDirectory)\\$(LevelName).lua"),
        node("TeWads", node("TeWad", text("TePath", "a.wad2")), width=10),
        node("TeSoundsCatalogs", width=10),
        node("TeSelectedSounds", leaf("TeSelSnd", b"\xc0\0"), width=10),
        node("TeTextures", texture, width=10),
        leaf("TeDefaultTextures", floats(*[0] * 8) + leb(-1), 10),
        node("TeImportedGeometries", width=10),
        node("TeAnimatedTextureSets", width=10),
        node("TeGlobalEventSets", width=10),
        node("TeVolumeEventSets", width=10),
        node("TeMergeStatics", leaf("TeMergeStaticsEntry3", pack("<I", 9) + b"\1\0\1", 4), width=3),
        width=10,
    )

    def surface(name: int, height: int) -> bytes:
        body = leb(0) + leb(height) * 4
        return bytes((1, name)) + leb(len(body), 1) + body

    def sector_chunk(index: int, wall: int, extra: bytes = b"") -> bytes:
        parts = bytes((1, 0)) + leb(1) + leb(wall) + surface(7, 0) + surface(8, 3072)
        parts += b"".join(bytes((1, name)) + leb(1, 2) + b"\0" for name in (9, 10))
        return leaf("TeS", pack("<i", index) + parts + extra + b"\0", 2)

    face_body = leb(25) + corners + floats(1, 2, 3, 4) + leb(1 | 2 << 1) + leb(3)
    faces = bytes((1, 18)) + leb(len(face_body), 1) + face_body + bytes((1, 17, 1)) + leb(27)
    place = floats(1536, 0, 1536)
    objects = node(
        "TeObjects",
        leaf(
            "TeMov4",
            leb(64) + place + floats(90) + leb(-1) + pack("<IhBBB", 0, 0, 0, 0, 0) + floats(1, 1, 1),
            2,
        ),
        leaf("TeCam3", leb(65) + place + leb(-1) + b"\0\0\0", 1),
        node(
            "TeTri3",
            *(leaf("TeTy", leb(1)), leaf("TeTaTy", leb(0)), leaf("TeTa", leb(1) + leb(64), 1)),
            *(leaf(name, leb(-1), 1) for name in ("TeTi", "TeEx")),
            *(leaf("TeCo", leb(31)), truth("TeOS"), leaf("TePl", leb(-1), 1)),
            numbers=(66, 1, 1, 1, 1),
            width=2,
        ),
        width=10,
    )
    room_parts = [
        number("TeI", 2),
        text("TeName", "Room 2"),
        leaf("TePos2", floats(5, -256, 7)),
        text("TeTags"),
        node(
            "TeSecs", *(sector_chunk(each, int(each != 4), faces if each == 4 else b"") for each in range(9))
        ),
        leaf("TeAmbient", floats(0.25, 0.25, 0.25)),
        *map(truth, ("TeCold", "TeDmg", "TeHorizon", "TeOutside", "TeNoLens", "TeNoPath")),
        number("TeRoomType"),
        number("TeRoomTypeStrength"),
        number("TeRoomLightEffect", 1),
        number("TeRoomLightEffectStrength2", 1),
        number("TeReverb"),
        number("TeRoomLightInt"),
        truth("TeLocked"),
        truth("TeHidden"),
        node("TeAlternate", number("TeGroup", 1), number("TeRoom", 4), width=1),
        objects,
    ]
    room = node("TeRoom", *room_parts, numbers=(3, 3), width=10)
    by_hand = project_file(settings, node("TeRooms", room, width=10))

    shape = RoomShape.empty(3, 3)
    textured, invisible = face(4, Face.FLOOR, 3), face(4, Face.CEILING, -1)
    shape.faces = np.array([textured, invisible], FACE)
    shape.faces["parent"][0] = ((1, 2), (3, 4))
    shape.faces["double_sided"][0], shape.faces["blend"][0] = True, 2
    at = (1536.0, 0.0, 1536.0)
    trigger = ProjectTrigger(66, area=(1, 1, 1, 1), type=1, target=Parameter(ParameterKind.OBJECT, 64))
    made = Project(
        Settings(
            textures=[LevelTexture(3, "a.png")],
            wads=["a.wad2"],
            selected_sounds=[64],
            merged_statics=[MergedStatic(9, shades_are_effects=True, clear_shades=True)],
        ),
        [
            ProjectRoom(
                2,
                "Room 2",
                5,
                -256,
                7,
                shape,
                alternate=(1, 4),
                objects=[Moveable(64, at, y=90.0), Camera(65, at), trigger],
            ),
        ],
    )
    assert leaves(made.to_bytes()) == leaves(by_hand)
    assert made.to_bytes() == by_hand


# --- Old forms ---------------------------------------------------------------------------------


def test_old_chunks_of_rooms_and_objects_are_converted() -> None:
    project = read_project(old_project())
    assert project.problems == []
    assert project.rooms[0].objects == [obj for _, _, obj in old_objects()]
    rooms = [
        (room.number, room.kind, room.kind_strength, room.effect, room.effect_strength)
        for room in project.rooms
    ]
    assert rooms == [
        (0, RoomType.WATER, 0, LightEffect.REFLECTION, 2),
        (1, RoomType.RAIN, 2, LightEffect.MIST, 1),
        (7, RoomType.SNOW, 0, LightEffect.DEFAULT, 3),
        (9, RoomType.QUICKSAND, 0, LightEffect.DEFAULT, 4),
    ]
    room = project.rooms[2]
    assert (room.x, room.y, room.z, room.ambient, room.reverb) == (4, -512, 6, (0.5, 0.25, 1.0), 2)
    assert room.cold and room.damage and not room.outside
    shape = room.shape
    assert (shape.x_sectors, shape.z_sectors, shape.old_walls) == (4, 3, True)
    assert not shape.wall[1, 0] and shape.wall.sum() == 11 and shape.solid_floor.all()
    assert (shape.flags == 257).all()
    assert shape.floor.heights[0, 1].tolist() == [256, 512, 768, 1024]
    assert shape.floor.splits[0, 1, 0].tolist() == [-256, -512, -768, -1024]
    assert (shape.floor.x_equals_z[0, 1], shape.floor.diagonal[0, 1], shape.floor.split_count[0, 1]) == (
        True,
        3,
        1,
    )
    assert shape.ceiling.heights[2, 3].tolist() == [3072, 3328, 3584, 3840]
    assert not shape.ceiling.x_equals_z.any()
    first, second = shape.faces[:2]
    assert (first["texture"], first["face"], first["double_sided"], first["blend"]) == (
        0,
        Face.FLOOR,
        True,
        2,
    )
    assert first["corners"].tolist() == [[0, 64], [0, 0], [64, 0], [64, 64]]
    assert (second["texture"], second["face"]) == (-1, Face.CEILING)


def test_old_chunks_of_settings_are_converted() -> None:
    found = read_project(old_project()).settings
    assert (found.wads, found.game_version, found.sound_system) == (["old.wad"], GameVersion.TRNG, 0)
    (texture,) = found.textures
    assert (texture.path, texture.footsteps.tolist(), texture.bumps.tolist()) == (
        "old.bmp",
        [[5], [6]],
        [[0]],
    )
    (animated,) = found.animated_sets
    assert (animated.type, animated.fps, animated.uv_rotate, len(animated.frames)) == (2, 15.0, -5, 1)
    assert found.merged_statics == [MergedStatic(5, True, True), MergedStatic(6, True)]
    (events,) = found.volume_event_sets
    assert (events.number, events.events[0].type, events.events[0].position) == (3, 2, (1.0, 2.0))
    assert events.events[0].chains[0][0].arguments[0].value == "90"


def test_old_projects_stay_the_same() -> None:
    data = old_project()
    assert read_project(data).to_bytes() == data


TODAY = {
    "Moveable": "TeMov4",
    "Static": "TeSta3",
    "Camera": "TeCam3",
    "Sink": "TeSin",
    "SoundSource": "TeSoundRealFinal",
    "Sprite": "TeSpr3",
    "Flyby": "TeFly",
    "Memo": "TeMemo2",
    "Light": "TeLig5",
    "Volume": "TeVolume4",
    "ImportedGeometry": "TeImp4",
    "ProjectPortal": "TePor2",
    "GhostBlock": "TeGhost2",
    "ProjectTrigger": "TeTri3",
}


def altered(obj: PlacedObject) -> PlacedObject:
    """Return an object with one change."""
    if isinstance(obj, Positioned):
        return replace(obj, position=(obj.position[0] + 512.0, *obj.position[1:]))
    if isinstance(obj, ProjectPortal | ProjectTrigger):
        return replace(obj, area=(1, 1, 1, 2))
    return replace(obj, x=7)  # type: ignore[call-arg]


@pytest.mark.parametrize("index", range(len(old_objects())))
def test_a_changed_object_in_an_old_form_gets_todays_form(index: int) -> None:
    data = old_project()
    project = read_project(data)
    room = project.rooms[0]
    name = old_objects()[index][0]
    wanted = room.objects[index] = altered(room.objects[index])
    after = project.to_bytes()
    assert changes(data, after) == ([name], [TODAY[type(wanted).__name__]])
    assert comparable(read_project(after).rooms[0].objects[index], project) == comparable(wanted, project)


def test_a_changed_kind_of_an_old_room_replaces_all_old_marks() -> None:
    data = old_project()
    project = read_project(data)
    project.rooms[0].kind = RoomType.NORMAL
    after = project.to_bytes()
    today = ["TeRoomLightEffect", "TeRoomLightEffectStrength2", "TeRoomType", "TeRoomTypeStrength"]
    assert changes(data, after) == (["TeMist", "TeReflect", "TeWater"], today)
    room = read_project(after).rooms[0]
    assert (room.kind, room.effect, room.effect_strength) == (RoomType.NORMAL, LightEffect.REFLECTION, 2)


def test_a_moved_old_room_gets_its_height_in_units() -> None:
    data = old_project()
    project = read_project(data)
    project.rooms[3].y = -300
    after = project.to_bytes()
    assert changes(data, after) == (["TePos"], ["TePos2"])
    assert read_project(after).rooms[3].y == -300


def test_a_changed_old_floor_is_written_with_its_split() -> None:
    data = old_project()
    project = read_project(data)
    project.rooms[2].shape.floor.heights[1, 2, 0] = 300
    after = project.to_bytes()
    assert changes(data, after) == (["#1"], ["#7", "#9"])
    assert_same_shape(read_project(after).rooms[2].shape, project.rooms[2].shape)


def test_a_second_wad_replaces_the_one_of_old_settings() -> None:
    data = old_project()
    project = read_project(data)
    project.settings.wads.append("more.wad2")
    after = project.to_bytes()
    assert changes(data, after) == (["TeWadFilePath"], ["TePath", "TePath", "TeWad", "TeWad", "TeWads"])
    assert read_project(after).settings.wads == ["old.wad", "more.wad2"]


def test_heights_of_2023_are_in_clicks() -> None:
    floor, ceiling = leb(0) + leb(1) * 4, leb(1) + leb(9) * 4
    splits = leb(2) + leb(2) * 4 + leb(3) * 4
    parts = (3, floor), (4, ceiling), (5, splits), (6, leb(0))
    secs = node("TeSecs", sector(0, *parts))
    room = leaf("TeRoom", leb(1) + leb(1) + leaf("TeI", leb(4)) + secs + b"\0", 10)
    shape = read_project(project_file(node("TeRooms", room, width=10))).rooms[0].shape
    assert shape.floor.heights.tolist() == [[[256] * 4]] and shape.ceiling.heights.tolist() == [[[2304] * 4]]
    assert shape.floor.splits[0, 0, :2].tolist() == [[512] * 4, [768] * 4]
    assert (shape.floor.split_count[0, 0], shape.ceiling.split_count[0, 0]) == (2, 0)


# --- One change --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_every_part_of_a_new_project_survives(target: GameVersion) -> None:
    project = sample_project(target)
    data = project.to_bytes()
    assert_same(read_project(data), project)
    assert read_project(data).to_bytes() == data


@pytest.mark.parametrize("target", TARGETS)
def test_one_changed_object_is_one_chunk(target: GameVersion) -> None:
    data = sample_project(target).to_bytes()
    project = read_project(data)
    for index, obj in enumerate(project.rooms[0].objects):
        wanted = project.rooms[0].objects[index] = altered(obj)
        after = project.to_bytes()
        before_names, after_names = changes(data, after)
        assert before_names == after_names and len(after_names) == 1, obj
        assert read_project(after).rooms[0].objects[index] == wanted
        project.rooms[0].objects[index] = obj
    assert project.to_bytes() == data


ROOM_CHANGES: dict[str, tuple[str, Any]] = {
    "name": ("TeName", "Größe"),
    "x": ("TePos2", 40),
    "y": ("TePos2", -1000),
    "ambient": ("TeAmbient", (1.0, 0.5, 0.0)),
    "tags": ("TeTags", "a b"),
    "cold": ("TeCold", True),
    "damage": ("TeDmg", True),
    "horizon": ("TeHorizon", True),
    "outside": ("TeOutside", True),
    "no_lens_flare": ("TeNoLens", True),
    "no_pathfinding": ("TeNoPath", True),
    "kind": ("TeRoomType", RoomType.SNOW),
    "kind_strength": ("TeRoomTypeStrength", 2),
    "effect": ("TeRoomLightEffect", LightEffect.GLOW),
    "effect_strength": ("TeRoomLightEffectStrength2", 4),
    "reverb": ("TeReverb", 3),
    "interpolation": ("TeRoomLightInt", 2),
    "locked": ("TeLocked", True),
    "hidden": ("TeHidden", True),
}


@pytest.mark.parametrize("name", ROOM_CHANGES)
def test_one_changed_value_of_a_room_is_one_chunk(name: str) -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    chunk, value = ROOM_CHANGES[name]
    setattr(project.rooms[0], name, value)
    after = project.to_bytes()
    assert changes(data, after) == ([chunk], [chunk])
    assert getattr(read_project(after).rooms[0], name) == value


def test_chunks_of_newest_editors_are_written_if_set() -> None:
    """Older ones open a project with a chunk that they do not know for reading only."""
    data = sample_project().to_bytes()
    project = read_project(data)
    project.rooms[0].no_caustics = True
    project.settings.trx_texture_depth = 2
    project.settings.animated_sets[0].direction = 45.0
    names = ["TeAnimatedTextureSetTenUvRotateDirection", "TeNoCaustics", "TeTrxTextureDepth"]
    assert changes(data, project.to_bytes()) == ([], names)
    assert_same(read_project(project.to_bytes()), project)


def test_a_pair_of_rooms_is_connected_and_separated_by_one_chunk() -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    project.rooms[1].alternate = None
    assert changes(data, project.to_bytes()) == (["TeAlternate"], [])
    project.rooms[1].alternate = (3, 2)
    assert changes(data, project.to_bytes()) == (["TeAlternate"], ["TeAlternate"])


def _set(name: str, value: Any) -> Callable[[Settings], None]:
    return lambda settings: setattr(settings, name, value)


SETTINGS_CHANGES: dict[str, Callable[[Settings], Any]] = {
    "TeFontTextureFilePath": _set("font_path", "font.pc"),
    "TeSkyTextureFilePath": _set("sky_path", "sky.raw"),
    "TeTr5ExtraSpritesFilePath": _set("extra_sprites_path", "x.raw"),
    "TeGameDirectory": _set("game_directory", "game"),
    "TeGameLevelFilePath": _set("level_path", "a.tr4"),
    "TeGameExecutableFilePath": _set("executable_path", "a.exe"),
    "TeGameEnableQuickStartFeature": _set("quick_start", False),
    "TeGameEnableExtraReverbPresets": _set("extra_reverb_presets", True),
    "TeGameVersion": _set("game_version", 5),
    "TeTr5LaraType": _set("tr5_lara_type", 3),
    "TeTr5Weather": _set("tr5_weather", 1),
    "TeTexturePadding": _set("padding", 4),
    "TeRemapAnimTextures": _set("remap_animated_textures", False),
    "TeRearrangeRooms": _set("rearrange_rooms", False),
    "TeRemoveUnusedObjects": _set("remove_unused_objects", True),
    "TeEnableCustomSampleRate": _set("custom_sample_rate_enabled", True),
    "TeCustomSampleRate": _set("custom_sample_rate", 22050),
    "TeRoom32BitLighting": _set("thirty_two_bit_light", True),
    "TeDitherTextures": _set("dither", False),
    "TeAgressiveTexturePacking": _set("aggressive_texture_packing", True),
    "TeTextureCompression": _set("texture_compression", True),
    "TeAgressiveFloordataPacking": _set("aggressive_floor_data_packing", True),
    "TeDefaultAmbientLight": _set("default_ambient", (1.0, 0.0, 0.5)),
    "TeDefaultLightQuality": _set("default_light_quality", 3),
    "TeOverrideLightQuality": _set("override_light_quality", True),
    "TeScriptDirectory": _set("script_directory", "s"),
    "TeSoundSystem": _set("sound_system", 0),
    "TeLastRoom": _set("last_room", 3),
    "TenLuaScriptFile": _set("lua_script_path", "a.lua"),
    "TeDefaultTextures": _set("default_texture", TexturedArea(1, SQUARE)),
    "TePalette": _set("palette", [(1, 1, 1)]),
    "TeSelSnd": lambda settings: settings.selected_sounds.__setitem__(1, 9),
    "TeMergeStaticsEntry3": lambda settings: setattr(settings.merged_statics[0], "clear_shades", True),
    "TeMagentaR": lambda settings: setattr(settings.textures[0], "magenta", False),
    "TeTextureSounds": lambda settings: settings.textures[0].footsteps.__setitem__((0, 1), 9),
    "TeTextureBumpmaps": lambda settings: setattr(
        settings.textures[1], "bumps", np.full((2, 1), 3, np.uint8)
    ),
    "TeScale": lambda settings: setattr(settings.imported_geometries[0], "scale", 4.0),
    "TeAnimatedTextureSetFps": lambda settings: setattr(settings.animated_sets[0], "fps", 4.0),
    "TeFrame": lambda settings: settings.animated_sets[0].frames.__setitem__(
        0, replace(settings.animated_sets[0].frames[0], repeat=8)
    ),
}


@pytest.mark.parametrize("chunk", SETTINGS_CHANGES)
def test_one_changed_setting_is_one_chunk(chunk: str) -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    SETTINGS_CHANGES[chunk](project.settings)
    after = project.to_bytes()
    assert changes(data, after) == ([chunk], [chunk])
    assert_same(read_project(after), project)


def test_elements_of_lists_can_be_added_moved_and_removed() -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    own = project.settings
    own.wads = ["first.wad", *reversed(own.wads)]
    own.textures = [own.textures[1], LevelTexture(2, "new.png")]
    own.imported_geometries.append(ImportedModel(4, "Door", "door.obj"))
    own.animated_sets.insert(0, AnimatedSet("Lava"))
    own.merged_statics = []
    own.sample_directories = []
    own.extra_blending_modes = True
    assert_same(read_project(project.to_bytes()), project)


def test_events_are_written_again_after_changes() -> None:
    data = sample_project(GameVersion.TOMB_ENGINE).to_bytes()
    project = read_project(data)
    found = project.settings.volume_event_sets[0]
    found.events[0].chains[0][0].otherwise[0].function = "Stop"
    project.settings.global_event_sets.append(EventSet(5, "More"))
    after = project.to_bytes()
    # The new list is one chunk here; the other set stays.
    assert changes(data, after) == (["TeEventSet", "TeGlobalEventSets"], ["TeEventSet", "TeGlobalEventSets"])
    assert_same(read_project(after), project)


def test_parts_of_tomb_engine_are_listed_as_text() -> None:
    found = readable(sample_project(GameVersion.TOMB_ENGINE))
    assert found["lua"] == "$(ScriptDirectory)\\$(LevelName).lua"
    text = 'if TestChance() else [DisableMoveable()], EnableMoveable("door"); EnableMoveable("door")'
    assert found["VolumeEvent Hall: ENTER"] == text
    assert found["VolumeEvent Hall: LEAVE"] == "LevelFuncs.Left(1)"
    assert found["GlobalEvent Start: START"] == "LevelFuncs.Start()"
    assert found["Room 0: Volume 16"] == "1024 x 1024 x 1024, Hall, hall"
    assert found["Room 0: Volume 17"] == "1024"
    assert found["Room 0: Moveable 0"] == "made_up_1"
    assert readable(Project()) == {}


def test_script_ids_and_plugins_of_trng_are_listed() -> None:
    project = sample_project()
    found = readable(project)
    assert found["Room 0: Moveable 0"] == found["Room 0: Static 3"] == "ID 7"
    assert not any("Trigger" in name for name in found)
    (trigger,) = [
        each for _, each in project.objects() if each.number == 1 and isinstance(each, ProjectTrigger)
    ]
    trigger.plugin = Parameter(ParameterKind.NUMBER, 3)
    assert readable(project)["Room 0: Trigger 1"] == "plugin 3"


# --- Sectors -----------------------------------------------------------------------------------


def _change_face(shape: RoomShape) -> None:
    shape.faces["corners"][3, 0] = (5, 6)


def _remove_face(shape: RoomShape) -> None:
    shape.faces = np.delete(shape.faces, 5)


def _add_face(shape: RoomShape) -> None:
    shape.faces = np.append(shape.faces, np.array([face(8, Face.QA + 1)], FACE))


def _hide_face(shape: RoomShape) -> None:
    shape.faces[4] = face(int(shape.faces["sector"][4]), int(shape.faces["face"][4]), -1)
    shape.faces["corners"][4] = 0


def _mark(shape: RoomShape) -> None:
    shape.flags[2, 2] ^= 64


def _wall(shape: RoomShape) -> None:
    shape.wall[2, 3] = True


def _raise(shape: RoomShape) -> None:
    shape.floor.heights[2, 3, 1] = 12


def _split(shape: RoomShape) -> None:
    shape.ceiling.splits[1, 1, 0] = 2000
    shape.ceiling.split_count[1, 1] = 1


def _turn(shape: RoomShape) -> None:
    shape.ceiling.x_equals_z[1, 2] ^= True


SECTOR_CHANGES: dict[str, tuple[Callable[[RoomShape], None], list[str], list[str]]] = {
    "face": (_change_face, ["#18"], ["#18"]),
    "removed face": (_remove_face, ["#18"], []),
    "new face": (_add_face, [], ["#18"]),
    "hidden face": (_hide_face, ["#18"], ["#17"]),
    "mark": (_mark, ["#0"], ["#0"]),
    "wall": (_wall, ["#0"], ["#0"]),
    "height": (_raise, ["#7"], ["#7"]),
    "split": (_split, ["#10"], ["#10"]),
    "turned": (_turn, ["#8"], ["#8"]),
}


@pytest.mark.parametrize("name", SECTOR_CHANGES)
def test_one_changed_part_of_a_sector_is_one_chunk(name: str) -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    change, before, after = SECTOR_CHANGES[name]
    change(project.rooms[0].shape)
    made = project.to_bytes()
    assert changes(data, made) == (before, after)
    assert_same_shape(read_project(made).rooms[0].shape, project.rooms[0].shape)
    # The chunks of a sector keep their order: new faces follow the rest.
    first = [path.rsplit("/", 1)[1] for path, _ in leaves(made) if "/TeS/" in path][:5]
    assert first == ["#0", "#7", "#8", "#9", "#10"]


def test_a_room_of_another_size_is_written_whole() -> None:
    project = read_project(sample_project().to_bytes())
    project.rooms[0].shape = box_room(0, 0, 0, size=(4, 9)).shape
    room = read_project(project.to_bytes()).rooms[0]
    assert_same_shape(room.shape, project.rooms[0].shape)
    assert room.objects == project.rooms[0].objects


numbers = st.integers(-40, 40).map(lambda value: value * 128)


@st.composite
def shapes(draw: st.DrawFn, x_sectors: int = 4, z_sectors: int = 3) -> RoomShape:
    """Return a room with random sectors and faces."""
    size = (z_sectors, x_sectors)
    shape = RoomShape.empty(*reversed(size))
    shape.wall = draw(arrays.arrays(np.bool_, size))
    shape.solid_floor = draw(arrays.arrays(np.bool_, size))
    shape.flags = draw(arrays.arrays(np.int64, size, elements=st.integers(0, 4095)))
    for surface in (shape.floor, shape.ceiling):
        surface.heights = draw(arrays.arrays(np.int64, (*size, 4), elements=numbers))
        surface.x_equals_z = draw(arrays.arrays(np.bool_, size))
        surface.diagonal = draw(arrays.arrays(np.int64, size, elements=st.integers(0, 4)))
        surface.split_count = draw(arrays.arrays(np.int64, size, elements=st.integers(0, MOST_SPLITS)))
        surface.splits = draw(
            arrays.arrays(np.int64, (*size, MOST_SPLITS, 4), elements=st.integers(-9000, 9000))
        )
    count = draw(st.integers(0, 20))
    shape.faces = np.zeros(count, FACE)
    shape.faces["sector"] = draw(
        arrays.arrays(np.int64, count, elements=st.integers(0, x_sectors * z_sectors - 1))
    )
    shape.faces["face"] = draw(arrays.arrays(np.int64, count, elements=st.integers(0, 98)))
    shape.faces["texture"] = draw(arrays.arrays(np.int64, count, elements=st.integers(-1, 300)))
    visible = shape.faces["texture"] >= 0
    shape.faces["corners"][visible, 0, 0] = draw(st.floats(width=32, allow_nan=True))
    shape.faces["parent"][visible, 1, 1] = 3.5
    shape.faces["double_sided"][visible] = draw(st.booleans())
    shape.faces["blend"][visible] = draw(st.integers(0, 11))
    return shape


@given(shapes(), shapes())
def test_all_sectors_survive_new_and_as_changes(first: RoomShape, second: RoomShape) -> None:
    project = Project(rooms=[ProjectRoom(0, "", 0, 0, 0, first)])
    data = project.to_bytes()
    read = read_project(data)
    assert_same_shape(read.rooms[0].shape, first)
    assert read.to_bytes() == data
    read.rooms[0].shape = second
    assert_same_shape(read_project(read.to_bytes()).rooms[0].shape, second)


@given(shapes(x_sectors=3))
def test_all_sectors_survive_as_changes_of_an_old_room(shape: RoomShape) -> None:
    project = read_project(old_project())
    project.rooms[1].shape = shape
    assert_same_shape(read_project(project.to_bytes()).rooms[1].shape, shape)


f32 = st.floats(-1e6, 1e6, width=32)
vectors = st.tuples(f32, f32, f32)
parameters = st.one_of(
    st.just(Parameter()),
    st.builds(Parameter, st.just(0), st.integers(-70000, 70000)),
    st.builds(Parameter, st.sampled_from((1, 2)), st.integers(-1, 5000)),
    st.builds(Parameter, st.just(3), st.text(max_size=80)),
)


@given(st.lists(vectors, max_size=3), parameters, st.text(max_size=300), st.integers(0, 1 << 20))
def test_all_values_of_objects_survive(
    places: list[Any], parameter: Parameter, text: str, number: int
) -> None:
    """Long texts need wider sizes than the editor's."""
    made: list[PlacedObject] = [Memo(number, text=text), Camera(number + 1, lua_name=text)]
    made += [Static(number + 2 + index, place, color=place) for index, place in enumerate(places)]
    made.append(ProjectTrigger(number + 9, target=Parameter(0, 1), timer=parameter, plugin=parameter))
    settings = Settings(game_version=GameVersion.TOMB_ENGINE)
    project = Project(settings, [replace(box_room(0, 0, 0, size=(3, 3)), objects=made)])
    assert read_project(project.to_bytes()).rooms[0].objects == made


# --- Rooms and links ---------------------------------------------------------------------------


def test_added_rooms_and_objects_do_not_change_others() -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    new = box_room(3, 30, 30)
    new.objects.append(Light(project.new_number(), (512.0, 0.0, 512.0)))
    project.rooms.insert(1, new)
    project.rooms[0].objects.insert(3, Moveable(-1, (512.0, 0.0, 512.0), slot=9))
    before, after = changes(data, project.to_bytes())
    assert before == []
    assert Counter(after)["TeRoom"] == 1 and Counter(after)["TeMov4"] == 1
    again = read_project(project.to_bytes())
    assert [room.number for room in again.rooms] == [0, 3, 1, 2, 5]
    numbers = [each.number for _, each in again.objects()]
    assert len(set(numbers)) == len(numbers) and min(numbers) >= 0


def test_triggers_of_a_removed_object_lose_their_target() -> None:
    project = read_project(sample_project().to_bytes())
    room = project.rooms[0]
    trigger = next(room.each(ProjectTrigger))
    assert trigger.target.kind == ParameterKind.OBJECT
    room.objects = [each for each in room.objects if each.number != trigger.target.value]
    again = next(read_project(project.to_bytes()).rooms[0].each(ProjectTrigger))
    assert again.target == Parameter(ParameterKind.OBJECT, -1)


def test_dangling_links_of_the_file_stay() -> None:
    project = sample_project()
    room = project.rooms[0]
    index = next(index for index, each in enumerate(room.objects) if isinstance(each, ProjectTrigger))
    room.objects[index] = replace(room.objects[index], target=Parameter(ParameterKind.OBJECT, 900))  # type: ignore[call-arg]
    data = Project(project.settings, project.rooms).to_bytes()
    assert read_project(data).to_bytes() == data


def test_rooms_with_a_number_twice_get_the_first_free_one_and_keep_their_bytes() -> None:
    data = project_file(node("TeRooms", *(old_room(number) for number in (0, 0, 5, 0)), width=10))
    project = read_project(data)
    assert [room.number for room in project.rooms] == [0, 1, 5, 2]
    assert project.to_bytes() == data


def test_chunks_of_removed_rooms_are_not_written() -> None:
    data = sample_project().to_bytes()
    project = read_project(data)
    del project.rooms[2]
    assert [room.number for room in read_project(project.to_bytes()).rooms] == [0, 1, 5]


# --- Unknown and damaged chunks ----------------------------------------------------------------


def test_unknown_chunks_stay_at_their_place() -> None:
    data = old_project()
    project = read_project(data)
    project.settings.textures[0].path = "new.bmp"
    project.rooms[0].objects.pop(0)
    project.rooms[0].objects.append(Moveable(500))
    after = project.to_bytes()
    for name, before_it, after_it in (
        ("TeUnknown", "TeGameVersion", "TeTextures"),
        ("TeNew", "TePath", "TeTextureSounds"),
        ("TeStrange", "TeMov2", "TeMov3"),
    ):
        names = [path.rsplit("/", 1)[1] for path, _ in leaves(after)]
        place = names.index(name)
        assert (names[place - 1], names[place + 1]) == (before_it, after_it)
    assert dict(leaves(after))["/TeSettings/TeUnknown"] == leaf("TeUnknown", b"raw", 3)


def test_a_damaged_object_stays_and_is_reported() -> None:
    objects = [leaf("TeMov4", b"\0\1\2"), leaf("TeCam3", leb(1) + floats(1, 2, 3) + leb(-1) + b"\0\0\0", 1)]
    data = project_file(node("TeRooms", old_room(0, objects=objects), width=10))
    project = read_project(data)
    assert [type(each) for each in project.rooms[0].objects] == [Camera]
    assert "TeRoom[0]" in project.problems[0] and "TeMov4" in project.problems[0]
    project.rooms[0].objects.clear()
    assert objects[0] in project.to_bytes()
    assert objects[1] not in project.to_bytes()


def test_a_save_that_failed_stays_without_its_end_marks() -> None:
    """No list is closed, and the last object is cut."""
    objects = leaf("TeMemo2", leb(1) + floats(1, 2, 3) + pack("<i", 1) + b"x\1", 3) + leaf("TeMov4", b"\2\0")
    room = old_room(0)
    start = room.index(b"\x09TeObjects")
    body = room[room.index(b"\3\3\3TeI") : start] + leaf("TeObjects", objects, 10)
    data = b"PRJ2" + bytes(4) + leaf("TeRooms", leaf("TeRoom", body, 10), 10)
    project = read_project(data)
    assert [type(each) for each in project.rooms[0].objects] == [Memo] and len(project.problems) == 1
    assert project.to_bytes() == data
    project.rooms[0].name = "Changed"
    again = read_project(project.to_bytes())
    assert again.rooms[0].name == "Changed" and len(again.rooms[0].objects) == 1


def test_only_unedited_projects_stay_compressed() -> None:
    plain = sample_project().to_bytes()
    packed = zlib.compress(plain[8:], 9)
    data = b"PRJ2" + pack("<Ii", 1 << 31, len(packed)) + packed
    project = read_project(data)
    assert project.to_bytes() == data
    project.rooms[0].name = "x"
    assert project.to_bytes()[:8] == plain[:8] and b"Room 5" in project.to_bytes()


def _rooms_file(*parts: bytes, size: int = 1) -> bytes:
    room = leaf("TeRoom", leb(size) * 2 + b"".join(parts) + b"\0", 10)
    return project_file(node("TeRooms", room, width=10))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"WAD2" + bytes(9), "no project"),
        (b"PRJ2" + bytes(4), "no project"),
        (b"PRJ2\1\0\0\0", "flags"),
        (_rooms_file(), "TeSecs"),
        (project_file(node("TeRooms", old_room(0)[:-60], width=10)), "TeRooms"),
        (_rooms_file(node("TeSecs"), size=1 << 30), "all its sectors"),
        (_rooms_file(node("TeSecs", sector(1))), "number of a sector"),
        (_rooms_file(node("TeSecs", sector(0, (7, leb(0) + leb(1))))), "5 numbers"),
        (_rooms_file(node("TeSecs", sector(0, (9, leb(9))))), "at most 8 splits"),
        (_rooms_file(node("TeSecs", sector(0, (18, leb(25))))), "32 bytes"),
        (_rooms_file(node("TeSecs", leaf("TeS", bytes(4) + b"\1\0\7abc"))), "the size of a chunk"),
    ],
)
def test_other_files_and_damaged_ones_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_project(data)
    assert words in f"{caught.value} {caught.value.problem}"


def test_a_value_that_does_not_fit_is_named_with_its_object() -> None:
    project = sample_project()
    project.rooms[0].objects = [SoundSource(3, sound=1 << 40)]
    with pytest.raises(ExportError, match=r"SoundSource 3.*sound = 1099511627776"):
        project.to_bytes()
