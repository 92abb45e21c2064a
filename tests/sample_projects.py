"""Small made-up projects of Tomb Editor: by the public API, and in old forms packed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from struct import pack

import numpy as np

from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Direction,
    Flyby,
    GhostBlock,
    ImportedGeometry,
    Light,
    LightKind,
    Memo,
    Moveable,
    Opacity,
    Parameter,
    ParameterKind,
    PlacedObject,
    ProjectPortal,
    ProjectTrigger,
    Sink,
    SoundSource,
    Sprite,
    Static,
    Volume,
)
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    AnimationFrame,
    Argument,
    Corners,
    Event,
    EventNode,
    EventSet,
    GameVersion,
    ImportedModel,
    LevelTexture,
    MergedStatic,
    Settings,
    TexturedArea,
)
from io_tomb_raider.formats.editors.projects.model.shape import (
    FACE,
    Diagonal,
    Face,
    RoomShape,
    SectorFlag,
    SectorSide,
)

from .wad2_samples import leaf, leb, node

SQUARE: Corners = ((0.0, 64.0), (0.0, 0.0), (64.0, 0.0), (64.0, 64.0))
MATERIALS = [[6, 5], [4, 3]]


# --- Rooms -------------------------------------------------------------------------------------


def face(sector: int, number: int, texture: int = 0, corners: Corners = SQUARE) -> np.void:
    """Return a face of a sector."""
    made = np.zeros(1, FACE)
    made["sector"], made["face"], made["texture"], made["corners"] = sector, number, texture, corners
    found: np.void = made[0]
    return found


def textured(shape: RoomShape, open_sectors: Sequence[int] = ()) -> RoomShape:
    """Give all floors, ceilings and outer walls a texture, but not the walls of some sectors."""
    last_x, last_z = shape.x_sectors - 1, shape.z_sectors - 1
    faces = []
    for sector in range(shape.wall.size):
        z, x = divmod(sector, shape.x_sectors)
        inner = 0 < x < last_x and 0 < z < last_z
        sides = {
            SectorSide.POSITIVE_Z: z == 0,
            SectorSide.NEGATIVE_Z: z == last_z,
            SectorSide.NEGATIVE_X: x == last_x,
            SectorSide.POSITIVE_X: x == 0,
        }
        if inner:
            faces += [face(sector, Face.FLOOR), face(sector, Face.CEILING)]
        elif sum(sides.values()) == 1 and sector not in open_sectors:
            faces += [face(sector, Face.MIDDLE + side) for side, is_here in sides.items() if is_here]
    shape.faces = np.array(faces, FACE)
    return shape


def box_room(
    number: int,
    x: int,
    z: int,
    y: int = 0,
    *,
    size: tuple[int, int] = (6, 6),
    open_sectors: Sequence[int] = (),
) -> ProjectRoom:
    """Return a room with textures on all sides. `size`: the numbers of x and z sectors."""
    return ProjectRoom(number, f"Room {number}", x, y, z, textured(RoomShape.empty(*size), open_sectors))


def uneven(shape: RoomShape) -> RoomShape:
    """Give a room of at least 6 x 6 sectors slopes, splits, diagonals, walls and marks."""
    shape.floor.heights[1, 1] = (256, 512, 256, 0)
    shape.floor.x_equals_z[1, 1] = True
    shape.floor.heights[1, 3] = 512
    shape.floor.splits[1, 3, 0] = 256
    shape.floor.split_count[1, 3] = 1
    shape.floor.diagonal[2, 2] = Diagonal.XPZN
    shape.floor.heights[2, 2] = (0, 0, 768, 0)
    shape.ceiling.heights[3, 3] = 2048
    shape.ceiling.splits[3, 3, :2] = np.array([[2304] * 4, [2560] * 4])
    shape.ceiling.split_count[3, 3] = 2
    shape.wall[4, 1] = True
    shape.wall[4, 2] = True
    shape.floor.diagonal[4, 2] = Diagonal.XNZN
    shape.flags[2, 4] = SectorFlag.MONKEY | SectorFlag.CLIMB_POSITIVE_X
    shape.solid_floor[3, 4] = True
    return shape


# --- Projects ----------------------------------------------------------------------------------


def settings(target: int = GameVersion.TRNG) -> Settings:
    """Return settings with an element of every kind."""
    frames = [AnimationFrame(0, SQUARE), AnimationFrame(1, SQUARE, 3)]
    area = TexturedArea(0, SQUARE)
    return Settings(
        game_version=target,
        textures=[
            LevelTexture(0, "$(LevelDirectory)\\stone.png", footsteps=np.array(MATERIALS, np.uint8)),
            LevelTexture(1, "grass.tga", cut_512=True, magenta=False, bump_path="bumps.png"),
        ],
        wads=["$(LevelDirectory)\\objects.wad2", "other.wad"],
        catalogs=["$(EditorDirectory)\\Catalogs\\Sounds.xml"],
        selected_sounds=[0, 3, 370],
        imported_geometries=[ImportedModel(0, "Arch", "arch.obj", scale=2.5, invert_faces=True)],
        animated_sets=[AnimatedSet("Water", fps=10.0, frames=frames)],
        merged_statics=[MergedStatic(12, tint_is_ambient=True)],
        default_texture=area,
        palette=[(255, 0, 16), (1, 2, 3)],
        last_room=1,
    )


def tomb_engine_settings() -> Settings:
    """Return settings for TombEngine, with events."""
    found = settings(GameVersion.TOMB_ENGINE)
    action = EventNode(
        name="Action", size=100, function="EnableMoveable", arguments=[Argument("name", '"door"')]
    )
    other = EventNode(name="Else", function="DisableMoveable")
    condition = EventNode(type=1, name="If", function="TestChance", locked=True, otherwise=[other])
    event = Event(type=0, position=(3.0, 4.0), chains=[[condition, action], [action]])
    script = Event(type=2, mode=0, function="LevelFuncs.Left", argument="1", call_counter=2, enabled=False)
    found.volume_event_sets = [EventSet(0, "Hall", 1, 3, [event, script])]
    start = Event(type=6, mode=0, function="LevelFuncs.Start")
    found.global_event_sets = [EventSet(1, "Start", events=[start])]
    return found


def every_object(first: int = 0, *, tomb_engine: bool = False) -> list[PlacedObject]:
    """Return an object of every kind, for a room of at least 6 x 6 sectors."""
    name = {"lua_name": "made_up_1"} if tomb_engine else {"script_id": 7}
    place = (1536.0, 0.0, 2560.0)
    text, number, obj = ParameterKind.STRING, ParameterKind.NUMBER, ParameterKind.OBJECT
    moveable = Moveable(first, place, slot=0, y=90.0, ocb=-2, invisible=True, code_bits=31, **name)
    trigger = ProjectTrigger(
        first + 1,
        area=(1, 1, 2, 3),
        target=Parameter(obj, first),
        timer=Parameter(number, 5),
        extra=Parameter(ParameterKind.ROOM, 0),
        plugin=Parameter(number, 0),
        one_shot=True,
    )
    found: list[PlacedObject] = [
        moveable,
        trigger,
        ProjectTrigger(
            first + 2, area=(4, 4, 4, 4), target_type=16, target=Parameter(text, "Hall"), code_bits=1
        ),
        Static(first + 3, place, slot=12, y=45.5, ocb=9, color=(0.5, 1.0, 2.0), **name),
        Camera(first + 4, place, mode=1, move_timer=3, glide_out=not tomb_engine, **name),
        Sink(first + 5, place, strength=4, **name),
        SoundSource(first + 6, place, sound=115, play_mode=0, **name),
        Sprite(first + 7, place, slot=2, frame=1),
        Flyby(first + 8, place, y=10.0, x=-20.0, roll=5.0, flags=65, index=1, sequence=2, timer=30),
        Memo(first + 9, place, text="Größe", always_shown=True),
        *(Light(first + 10 + kind, place, kind=kind, quality=kind % 4) for kind in LightKind),
        Volume(first + 16, place, y=30.0, roll=3.0, event_set=0, lua_name="hall"),
        Volume(first + 17, place, shape=1, scale=8.0, detects_adjacent_rooms=True),
        ImportedGeometry(first + 18, place, model=0, y=90.0, scale=0.5, sharp_edges=True, alpha_test=True),
        GhostBlock(first + 19, 3, 2, (256, 0, 0, -256), (1, 2, 3, 4)),
    ]
    return found


def sample_project(target: int = GameVersion.TRNG) -> Project:
    """Return a project with four rooms: a hall, water beside it with a flip room, and one above.

    The hall has an object of every kind, uneven sectors, and faces without texture.
    """
    is_tomb_engine = target == GameVersion.TOMB_ENGINE
    east = [5 + 6 * z for z in range(1, 5)]
    west = [6 * z for z in range(1, 5)]
    hall = box_room(0, 10, 10, open_sectors=east)
    uneven(hall.shape)
    hall.shape.faces["texture"][-1] = -1
    hall.shape.faces["corners"][-1] = 0
    hall.shape.faces["double_sided"][0] = True
    hall.shape.faces["blend"][0] = 2
    hall.shape.faces["parent"][1] = ((0, 0), (128, 128))
    water = box_room(1, 14, 10, open_sectors=west)
    water.kind, water.effect_strength, water.alternate = RoomType.WATER, 3, (2, 2)
    dry = box_room(2, 14, 10, open_sectors=west)
    above = box_room(5, 10, 10, 3072)
    above.shape.faces = above.shape.faces[above.shape.faces["face"] != Face.FLOOR]
    above.tags = "sky open"
    above.horizon = above.outside = True
    numbers = iter(range(100, 200))

    def portal(
        room: int, direction: int, area: tuple[int, int, int, int], opacity: int = Opacity.NONE
    ) -> ProjectPortal:
        return ProjectPortal(
            next(numbers), area=area, room=room, direction=direction, opacity=opacity, mirrored=(True,) * 5
        )

    hall.objects = [
        portal(1, Direction.POSITIVE_X, (5, 1, 5, 4)),
        portal(5, Direction.CEILING, (1, 1, 4, 4), Opacity.TRAVERSABLE_FACES),
        *every_object(tomb_engine=is_tomb_engine),
    ]
    water.objects = [portal(0, Direction.NEGATIVE_X, (0, 1, 0, 4))]
    dry.objects = [portal(0, Direction.NEGATIVE_X, (0, 1, 0, 4))]
    above.objects = [portal(0, Direction.FLOOR, (1, 1, 4, 4), Opacity.TRAVERSABLE_FACES)]
    mirror = above.objects[0]
    assert isinstance(mirror, ProjectPortal)
    mirror.effect, mirror.mirrored = 1, (True, False, True, False, True)
    return Project(tomb_engine_settings() if is_tomb_engine else settings(target), [hall, water, dry, above])


# --- Packed by hand ----------------------------------------------------------------------------


def project_file(*chunks: bytes) -> bytes:
    """Return a project of chunks."""
    return b"PRJ2" + bytes(4) + b"".join(chunks) + b"\0"


def sector(number: int, *parts: tuple[int, bytes]) -> bytes:
    """Return a sector of chunks with names of one byte."""
    chunks = b"".join(bytes((1, name)) + leb(len(body)) + body for name, body in parts)
    return leaf("TeS", pack("<i", number) + chunks + b"\0", 2)


def floats(*values: float) -> bytes:
    """Return numbers of 4 bytes."""
    return pack(f"<{len(values)}f", *values)


PLACE = (1536.0, 256.0, 1024.5)


def old_objects() -> list[tuple[str, bytes, PlacedObject]]:
    """Return an object of every old form: the name of the chunk, its content, and the object.

    The numbers of objects are their places in the list.
    """
    at, white = floats(*PLACE), floats(1, 1, 1)
    ids = leaf("TeItLuaId", leb(4)) + b"\0"
    moveable = at + floats(90) + leb(5) + pack("<IhBBB", 70, -3, 1, 0, 31)
    a_moveable = Moveable(0, PLACE, 5, "", 70, 90.0, ocb=-3, invisible=True, code_bits=31)
    static = at + floats(45) + leb(6) + pack("<I", 80) + floats(0.5, 1, 2) + floats(0) + pack("<h", 9)
    a_static = Static(0, PLACE, 6, "", 80, 45.0, ocb=9, color=(0.5, 1.0, 2.0))
    light = at + floats(10, 20, 0.25, 0.5, 0.75, 1, 2, 3, 4, 5)
    model = at + floats(1, 2, 3, 1.5)
    lighting = leaf("TeImpLM", leb(1)) + leaf("TeImpMshF", b"all") + b"\0"
    box = b"\0" + floats(100, 200, 300, 30, 10)
    trigger = (
        leaf("TeTy", leb(1)) + leaf("TeTaTy", leb(0)) + leaf("TeTa", leb(1) + leb(0)) + leaf("TeCo", leb(3))
    )
    a_model = ImportedGeometry(0, PLACE, model=3, y=1.0, x=2.0, roll=3.0, scale=1.5)
    a_light = Light(0, PLACE, -1, "", 0, 10.0, 20.0, 0.25, (0.5, 0.75, 1.0), 2.0, 3.0, 4.0, 5.0)

    def lit(marks: str, **changes: object) -> Light:
        names = ("enabled", "obstructed", "dynamic", "static", "imported_geometry")
        values = {
            **vars(a_light),
            **dict(zip(names, (mark == "1" for mark in marks), strict=False)),
            **changes,
        }
        return Light(**values)

    forms: list[tuple[str, bytes, PlacedObject]] = [
        ("TeMov", moveable + floats(1, 1, 1, 1), a_moveable),
        ("TeMov2", moveable + ids, a_moveable),
        (
            "TeMov3",
            moveable + floats(0.5, 0.5, 0.5) + ids,
            Moveable(**{**vars(a_moveable), "color": (0.5,) * 3}),
        ),
        (
            "TeMovTen",
            at + floats(90) + leb(-1) + pack("<IhBBB", 70, -3, 1, 0, 31) + white + pack("<i", 1) + b"m",
            Moveable(**{**vars(a_moveable), "script_id": -1, "lua_name": "m"}),
        ),
        ("TeSta", static, a_static),
        ("TeSta2", static + ids, a_static),
        (
            "TeStaTen",
            at + floats(45) + leb(-1) + pack("<I", 80) + white + pack("<hi", 9, 2) + b"st",
            Static(0, PLACE, -1, "st", 80, 45.0, ocb=9),
        ),
        ("TeCam", at + leb(8) + b"\1", Camera(0, PLACE, 8, mode=1)),
        ("TeCam2", at + leb(8) + b"\0\x09", Camera(0, PLACE, 8, move_timer=9)),
        ("TeSpr", at + pack("<H", 300), Sprite(0, PLACE, slot=-1, frame=300)),
        ("TeSpr2", at + pack("<ii", 3, 4), Sprite(0, PLACE, slot=3, frame=4)),
        (
            "TeFly2",
            at
            + floats(1, 2, 3)
            + leb(-1)
            + floats(0.5, 70)
            + leb(8)
            + leb(1)
            + leb(2)
            + leb(90)
            + leaf("TeFly2Lua", b"x")
            + b"\0",
            Flyby(
                0,
                PLACE,
                y=1.0,
                x=2.0,
                roll=3.0,
                speed=0.5,
                field_of_view=70.0,
                flags=8,
                index=1,
                sequence=2,
                timer=90,
            ),
        ),
        ("TeMemo", at + pack("<i", 3) + b"abc", Memo(0, PLACE, text="abc")),
        ("TeSou", at + pack("<HhB", 5, 0, 0), SoundSource(0, PLACE)),
        ("TeSou2", at + b"\4wind" + pack("<hB", 0, 31), SoundSource(0, PLACE)),
        ("TeSou3", at + pack("<i", 4) + b"wind" + leb(-1), SoundSource(0, PLACE)),
        ("TeSou4", at + pack("<ihB", 77, 0, 31), SoundSource(0, PLACE, sound=77)),
        ("TeSndSrc", at + pack("<ii", 78, 1) + leb(9), SoundSource(0, PLACE, 9, sound=78, play_mode=1)),
        ("TeSound", at + pack("<ii", 79, 2), SoundSource(0, PLACE, sound=79, play_mode=2)),
        ("TeLig4", leb(5) + light + b"\1\1\0\1\0\2", lit("11010", kind=5, quality=2)),
        (
            "TeLig3",
            leb(5) + light + b"\1\0\1\1\1\3",
            lit("10111", kind=5, quality=3, intensity=0.5, color=(1.0, 1.0, 1.0)),
        ),
        ("TeLig2", leb(2) + light + b"\0\1\1\1\0", lit("01110", kind=2)),
        ("TeLig", leb(0) + light + b"\1\1\1\0", lit("11100")),
        ("TePor", b"".join(map(leb, (1, 0, 2, 0, 4))) + b"\3\1", ProjectPortal(0, (1, 0, 2, 0), 4, 3, 1)),
        (
            "TeGhost",
            b"".join(map(leb, (2, 3, 1, 2, 3, 4, -1, -2, -3, -4))),
            GhostBlock(0, 2, 3, (512, 1024, 768, 256), (-512, -1024, -768, -256)),
        ),
        (
            "TeVolumeTest",
            box + at + pack("<H", 3) + (pack("<i", 1) + b"s") * 5,
            Volume(0, PLACE, size=(100.0, 200.0, 300.0), y=30.0, x=10.0),
        ),
        (
            "TeVolume1",
            box + at + pack("<i", 4),
            Volume(0, PLACE, size=(100.0, 200.0, 300.0), y=30.0, x=10.0, event_set=4),
        ),
        (
            "TeVolume2",
            box + at + pack("<ii", 4, 1) + b"v",
            Volume(0, PLACE, -1, "v", 0, (100.0, 200.0, 300.0), 30.0, 10.0, event_set=4),
        ),
        (
            "TeVolume3",
            box + floats(5) + at + pack("<ii", 4, 1) + b"v",
            Volume(0, PLACE, -1, "v", 0, (100.0, 200.0, 300.0), 30.0, 10.0, 5.0, event_set=4),
        ),
        ("TeImp", model + leb(3), a_model),
        ("TeImp", model + pack("<i", 3) + b"abc" + leb(3), a_model),
        ("TeImp2", model + pack("<i", 3) + b"abc" + leb(3), a_model),
        ("TeImp3", model + leb(3) + lighting, ImportedGeometry(**{**vars(a_model), "lighting": 1})),
        (
            "TeTri2",
            b"".join(map(leb, (1, 1, 2, 3))) + trigger + b"\0",
            ProjectTrigger(0, (1, 1, 2, 3), 1, 0, Parameter(1, 0), code_bits=3),
        ),
        (
            "TeTri",
            b"".join(map(leb, (1, 1, 2, 3, 4, 5, 6, -1, 7, 31))) + b"\1",
            ProjectTrigger(0, (1, 1, 2, 3), 4, 5, Parameter(0, 6), Parameter(0, 7), one_shot=True),
        ),
        (
            "TeTri",
            b"".join(map(leb, (1, 1, 2, 3, 4, 5, 6, 2, 7, 31))) + b"\0",
            ProjectTrigger(0, (1, 1, 2, 3), 4, 5, Parameter(1, 2), Parameter(0, 7)),
        ),
    ]
    found = []
    for number, (name, body, obj) in enumerate(forms):
        found.append((name, leb(number) + body, replace(obj, number=number)))
    return found


def old_room(number: int, *marks: bytes, objects: Sequence[bytes] = (), x_sectors: int = 3) -> bytes:
    """Return a room of 2018 of 3 z sectors: in clicks, with faces without parent area."""
    corners = floats(0, 64, 0, 0, 64, 0, 64, 64)
    floor = leb(1 | 3 << 1) + b"".join(map(leb, (1, 2, 3, 4, -1, -2, -3, -4)))
    ceiling = leb(0) + b"".join(map(leb, (12, 13, 14, 15, 20, 20, 20, 20)))
    sectors = [
        sector(
            each,
            (0, leb(int(each != 4) | 2 | (1 | 256) << 2)),
            (1, floor),
            (2, ceiling),
            (16, leb(Face.FLOOR) + corners + leb(1 | 2 << 1) + leb(0)),
            (17, leb(Face.CEILING)),
        )
        for each in range(3 * x_sectors)
    ]
    return leaf(
        "TeRoom",
        leb(x_sectors)
        + leb(3)
        + leaf("TeI", leb(number))
        + leaf("TeName", b"Old")
        + leaf("TePos", floats(4, -2, 6))
        + node("TeSecs", *sectors)
        + leaf("TeAmbient", floats(0.5, 0.25, 1, 2))
        + b"".join(leaf(name, b"\1") for name in ("TeCold", "TeDmg"))
        + b"".join(marks)
        + leaf("TeReverb", leb(2))
        + node("TeObjects", *objects, width=10)
        + b"\0",
        10,
    )


def old_project() -> bytes:
    """Return a project of 2018 with all old forms, and with chunks that are unknown."""
    texture = node(
        "TeLvlTexture",
        leaf("TeI", leb(0)),
        leaf("TePath", b"old.bmp"),
        leaf("TeNew", b"unknown"),
        leaf("TeTextureSounds", pack("<ii", 1, 2) + b"\5\6", 4),
    )
    frame = leaf("TeFrame", leb(0) + floats(0, 64, 0, 0, 64, 0, 64, 64) + leb(1), 2)
    extra = leaf("TeAnimatedTextureSetExtra", leb(2) + leb(0) + leb(-5), 4)
    inner_extra = leaf("TeAnimatedTextureSetExtra", leb(1) + leb(9) + leb(9), 4)
    sets = node(
        "TeAnimatedTextureSets",
        node("TeAnimatedTextureSet", extra, node("TeFrames", inner_extra, frame)),
        width=10,
    )
    event = (
        leaf("TeEventMode", leb(1)),
        leaf("TeEventNodePos", floats(1, 2)),
        node("TeEventNodeNext", leaf("TeNodeType", leb(0)), leaf("TeNodeArg", b"90")),
    )
    event_sets = node(
        "TeEventSets",
        node("TeEventSet", leaf("TeEventSetIndex", leb(3)), node("TeEventSetOnLeave", *event)),
        width=10,
    )
    merged = node(
        "TeMergeStatics",
        leaf("TeMergeStaticsEntry2", pack("<I", 5) + b"\1\1"),
        leaf("TeMergeStaticsEntry", pack("<I", 6) + b"\1"),
        width=3,
    )
    settings_chunk = node(
        "TeSettings",
        leaf("TeWadFilePath", b"old.wad"),
        leaf("TeGameVersion", leb(16)),
        leaf("TeUnknown", b"raw", 3),
        node("TeTextures", texture, width=10),
        sets,
        event_sets,
        merged,
        width=10,
    )
    objects = [leaf(name, body, 3) for name, body, _ in old_objects()]
    objects.insert(2, leaf("TeStrange", b"\1\2\3"))
    rooms = [
        old_room(
            0, leaf("TeWater", leb(2)), leaf("TeMist", leb(0)), leaf("TeReflect", leb(1)), objects=objects
        ),
        old_room(0, leaf("TeRain", leb(3)), leaf("TeMist", leb(1))),
        old_room(7, leaf("TeSnow", leb(1)), leaf("TeRoomLightEffectStrength", leb(2)), x_sectors=4),
        old_room(9, leaf("TeQuickSand", leb(4))),
    ]
    return project_file(
        leaf("TeEmbeddedSoundInfoWad", b"WAD2"), settings_chunk, node("TeRooms", *rooms, width=10)
    )
