"""WAD2 files packed by hand with struct, and an independent reader of their chunks."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from struct import pack, unpack_from

Tree = list[tuple[str, bytes, "Tree"]]

# Chunks with children, by the number of values before these; -1 for bones, which also have a name. All other
# chunks are leaves.
PARENTS = {
    **dict.fromkeys(("W2Textures", "W2Sprites", "W2SpriteSequences", "W2Moveables", "W2Statics"), 0),
    **dict.fromkeys(("W2Mesh", "W2MeshSphere", "W2BBox", "W2VrtPos", "W2VrtNorm", "W2VrtShd"), 0),
    **dict.fromkeys(("W2MovSkin", "W2VrtWghts"), 0),
    **dict.fromkeys(("W2VrtAttr", "W2Polys", "W2Kf", "W2KfBB", "W2StaticVB", "W2StaticCB"), 0),
    **dict.fromkeys(("W2SpriteSeq", "W2Moveable", "W2StCh"), 1),
    **dict.fromkeys(("W2Txt", "W2Spr", "W2Static2"), 2),
    "W2Bone2": -1,
    "W2Cmd2": 4,
    "W2Ani2": 5,
    "W2Ani3": 6,
    "W2Disp2": 6,
}


def leb(value: int, width: int = 0) -> bytes:
    """Return a number as LEB128, at least ``width`` bytes long."""
    result = []
    while True:
        result.append(value & 0x7F)
        value >>= 7
        if len(result) >= width and value == (-1 if result[-1] & 0x40 else 0):
            return bytes([*(byte | 0x80 for byte in result[:-1]), result[-1]])


def leaf(name: str, body: bytes, width: int = 0) -> bytes:
    """Return a chunk without children."""
    return leb(len(name)) + name.encode() + leb(len(body), width) + body


def node(name: str, *parts: bytes, numbers: Sequence[int] = (), width: int = 4) -> bytes:
    """Return a chunk with children."""
    return leaf(name, b"".join(map(leb, numbers)) + b"".join(parts) + b"\0", width)


def vectors(name: str, part: str, rows: Sequence[Sequence[float]]) -> bytes:
    """Return a chunk with a vector for each row."""
    return node(name, *(leaf(part, pack(f"<{len(row)}f", *row)) for row in rows))


def polygon(
    corners: Sequence[int],
    texture: int,
    uv: Sequence[tuple[float, float]],
    *,
    shine: int = 0,
    blend: int = 0,
    double: int = 0,
) -> bytes:
    """Return a polygon in the current format, with an area."""
    numbers = b"".join(map(leb, (*corners, shine, texture)))
    body = numbers + pack("<4f", 1, 2, 3, 4) + b"".join(pack("<2f", *each) for each in uv)
    return leaf("W2Tr2" if len(corners) == 3 else "W2Uq2", body + leb(blend) + bytes([double, 0]), 4)


def box(name: str, low: Sequence[float], high: Sequence[float]) -> bytes:
    """Return a bounding box."""
    return node(name, leaf("W2BBMin", pack("<3f", *low)), leaf("W2BBMax", pack("<3f", *high)))


SQUARE = ((0.0, 0.0), (16.0, 0.0), (16.0, 8.0), (0.0, 8.0))
VERTICES = ((-100.25, 50.5, -30.0), (100.0, 50.0, -30.125), (100.0, -50.0, 30.0), (-100.0, -50.75, 30.0))
NORMALS = ((0.0, 1.0, 0.0), (0.0, 16300.0, 0.0), (0.6, 0.0, 0.8), (0.0, 0.0, -1.0))


Pairs = Sequence[tuple[int, float]]  # bones and weights of a vertex


def weights(rows: Sequence[Pairs]) -> bytes:
    """Return the weights of vertices, up to four bones each."""
    filled = ([*row, *[(0, 0.0)] * (4 - len(row))] for row in rows)
    bodies = (b"".join(pack("<if", *pair) for pair in row) + b"\0" for row in filled)
    return node("W2VrtWghts", *(leaf("W2VrtWght", body, 4) for body in bodies))


def mesh(
    name: str,
    polygons: Sequence[bytes],
    *,
    colors: Sequence[Sequence[float]] = (),
    light: int = 0,
    pairs: Sequence[Pairs] = (),
    hidden: int = 0,
) -> bytes:
    """Return a mesh of four vertices."""
    sphere = (leaf("W2SphC", pack("<3f", 0.5, -8.25, 3)), leaf("W2SphR", pack("<d", 120.75)))
    return node(
        "W2Mesh",
        leaf("W2Index", b"\0"),
        leaf("W2MeshName", name.encode()),
        node("W2MeshSphere", *sphere),
        box("W2BBox", (-100.25, -50.75, -30.125), (100, 50.5, 30)),
        vectors("W2VrtPos", "W2Pos", VERTICES),
        vectors("W2VrtNorm", "W2N", NORMALS),
        vectors("W2VrtShd", "W2VxCol", colors),
        *([weights(pairs)] if pairs else ()),
        node("W2VrtAttr", *(node("W2VxAttr", numbers=(at, 63 - at)) for at in range(4))),
        leaf("W2MeshLightType", leb(light)),
        leaf("W2MeshVisible", bytes([hidden])),
        leaf("W2Later", b"kept"),
        node("W2Polys", *polygons),
    )


def bone(operation: int, name: str, offset: Sequence[float], number: int) -> bytes:
    """Return a bone."""
    raw = name.encode()
    fields = leb(operation) + pack("<i", len(raw)) + raw
    parts = leaf("W2BoneTrans", pack("<3f", *offset)) + leaf("W2BoneMesh", leb(number))
    return leaf("W2Bone2", fields + parts + b"\0", 4)


def key(offset: Sequence[float], angles: Sequence[Sequence[float]]) -> bytes:
    """Return a key frame. The ends of its box are swapped, as in files made from levels."""
    ends = box("W2KfBB", (-64.5, 90, -32), (64, -10.25, 32))
    turns = (leaf("W2KfA", pack("<3f", *each)) for each in angles)
    return node("W2Kf", leaf("W2KfOffs", pack("<3f", *offset)), ends, *turns)


CURVE = b"".join(
    leaf(name, pack("<2f", *value))
    for name, value in (
        ("W2CurveStart", (0, 0.125)),
        ("W2CurveEnd", (1, 1)),
        ("W2CurveHStart", (0.3, 0)),
        ("W2CurveHEnd", (0.6, 0.9)),
    )
)
# Of the skin: in any order, not normalized, none, and of a bone that the moveable lacks.
PAIRS: Sequence[Pairs] = (
    ((0, 0.3), (1, 0.7)),
    ((1, 0.25), (0, 0.25)),
    (),
    ((1, 1.0), (9, 0.5)),
)
# Angles of the first moveable's bones, as WadTool shows them; they are not steps of a level's.
ANGLES = ((10.1, 0, 0), (350.3, 45.45, 0.7)), ((0, 90, 0), (12.5, 45.45, 5.7)), ((0, 0, 270), (0, 0, 0))
OFFSETS = ((0.0, 200.5, 0.0), (0.0, 201.25, 10.5), (0.0, 202.0, 20.0))
COMMANDS = ((7, 1, 0, 0), (5, 2, 300, 2), (2, -100, 40, 0), (5, 3, 17, 4), (6, 0, 42, 1))


def moving(name: str, state: int) -> bytes:
    """Return an animation in the current format, with curves, root motion and two state changes."""
    dispatches = [
        node("W2Disp2", CURVE, numbers=(0, 2, 1, 3, 5, 8)),
        node("W2Disp2", CURVE, numbers=(3, 4, 0, 1, 0, 6)),
    ]
    return node(
        "W2Ani3",
        CURVE,
        leaf("W2AnmName", name.encode()),
        *(key(offset, angles) for offset, angles in zip(OFFSETS, ANGLES, strict=True)),
        node("W2StCh", dispatches[0], numbers=(7,)),
        node("W2StCh", dispatches[1], numbers=(8,)),
        *(node("W2Cmd2", leaf("W2CmdSnd", leb(-1)), numbers=command) for command in COMMANDS),
        leaf("W2AniV", pack("<4f", 10.3, 12.7, 0, -1.5)),
        leaf("W2AniRM", leb(6)),
        numbers=(state, 4, 2, 1, 3, 5),
    )


def older(name: str) -> bytes:
    """Return an animation in the format before curves."""
    dispatch = leaf("W2Disp", leb(0) + leb(1) + leb(0) + leb(2), 4)
    return node(
        "W2Ani2",
        leaf("W2AnmName", name.encode()),
        key((1.0, 2.0, 3.0), ((0, 0, 0), (180, 0, 0))),
        node("W2StCh", dispatch, numbers=(9,)),
        leaf("W2AniV", pack("<4f", 0, 0, 0, 0)),
        numbers=(3, 1, 1, 0, 4),
    )


def pixels(width: int, height: int, blue: int) -> bytes:
    """Return an image with unique pixels: B, G, R, A."""
    return b"".join(bytes((blue, row, column % 256, 255)) for row in range(height) for column in range(width))


def texture(width: int, height: int, blue: int, path: str = "") -> bytes:
    """Return a texture, with the path of its image as editors write it to files in the same folder."""
    parts = (
        leaf("W2TxtName", path.encode()),
        leaf("W2TxtRelPath", path.encode()),
        leaf("W2TxtData", pixels(width, height, blue)),
    )
    return node("W2Txt", *parts, numbers=(width, height))


def sprite(number: int, width: int, height: int) -> bytes:
    """Return a sprite."""
    sides = leaf("W2SprSides", pack("<4i", -8, -16, 8, 0), 4)
    parts = (leaf("W2Index", leb(number)), leaf("W2TxtData", pixels(width, height, 200 + number)), sides)
    return node("W2Spr", *parts, numbers=(width, height))


def sample_wad2(*, packed: bool = False, paths: Sequence[str] = ("", "")) -> bytes:
    """Return a WAD2 with two moveables, a static mesh, two sprites, and all chunks that editors write.

    Args:
        paths: of the images of the first two textures, which have 16 by 16 and 300 by 40 pixels.
    """
    wide = ((280.5, 2.0), (300.0, 2.0), (300.0, 30.0), (280.5, 30.0))
    faces = (
        polygon((0, 1, 2), 0, SQUARE[:3], shine=16),
        polygon((0, 1, 2, 3), 0, SQUARE, blend=2),
        polygon((3, 2, 1, 0), 1, wide, double=1),
    )
    colors = ((1, 1, 1), (0.5, 0.25, 2.0), (0.0, 0.0, 0.0), (0.125, 0.5, 0.75))
    moveable = node(
        "W2Moveable",
        mesh("body", faces, hidden=1),
        mesh("head", faces[:2], colors=colors),
        node("W2MovSkin", mesh("skin", faces[:1], pairs=PAIRS)),
        bone(0, "bone_0_root", (0, 0, 0), 0),
        bone(0, "neck", (0.25, 100.75, -3.5), 1),
        moving("RUN", 1),
        moving("STOP", 2),
        older("old"),
        leaf("W2Properties", b"\x01\x02"),
        numbers=(0,),
    )
    other = node("W2Moveable", mesh("door", faces[:1]), bone(0, "d\u00f6or", (0, 0, 0), 0), numbers=(70,))
    static = node(
        "W2Static2",
        mesh("plant", faces, colors=colors, light=1),
        leaf("W2StaticAmbientLight", leb(128)),
        leaf("W2StaticShatter", b"\1"),
        leaf("W2StaticShatterSound", leb(-1)),
        box("W2StaticVB", (-10.5, 80, -10), (10, 0, 10)),
        box("W2StaticCB", (-4, 0, -4), (4, 40, 4.25)),
        numbers=(50, 3),
    )
    textures = texture(16, 16, 1, paths[0]), texture(300, 40, 2, paths[1])
    stream = b"".join(
        (
            leaf("W2SuggestedGameVersion", leb(18)),
            leaf("W2SoundSystem", leb(1)),
            node("W2Textures", *textures, texture(3, 3, 3), width=5),
            node("W2Sprites", sprite(0, 8, 8), sprite(1, 20, 4)),
            node("W2SpriteSequences", sequence(463, (1, 0, 1))),
            node("W2Moveables", moveable, other),
            node("W2Statics", static),
            node("W2Metadata", leaf("W2UserNotes", "caf\u00e9".encode())),
            leaf("W2FromTheFuture", bytes(range(20))),
            node("W2AnimatedTextureSets", width=10),
            b"\0",
        )
    )
    if packed:
        content = zlib.compress(stream, 9)
        return b"WAD2" + pack("<Ii", 1 << 31, len(content)) + content
    return b"WAD2" + bytes(4) + stream


def sequence(slot: int, sprites: Sequence[int]) -> bytes:
    """Return a sprite sequence."""
    return node("W2SpriteSeq", *(leaf("W2SpritePtr", leb(number)) for number in sprites), numbers=(slot,))


# --- Reading -----------------------------------------------------------------------------------


def number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value - (1 << shift if data[at - 1] & 0x40 else 0), at


def tree(data: bytes) -> Tree:
    """Return the chunks of an uncompressed file: name, content, children."""
    assert data[:8] == b"WAD2\0\0\0\0"
    return _read(data, 8)


def _read(data: bytes, at: int) -> Tree:
    result: Tree = []
    while at < len(data):
        length, at = number(data, at)
        if not length:
            break
        name, at = data[at : at + length].decode(), at + length
        size, at = number(data, at)
        body, at = data[at : at + size], at + size
        fields = PARENTS.get(name)
        if fields is None:
            result.append((name, body, []))
            continue
        start = 0
        for _ in range(abs(fields)):
            _, start = number(body, start)
        if fields < 0:
            start += 4 + unpack_from("<i", body, start)[0]
        result.append((name, body[:start], _read(body, start)))
    return result


def differing_chunks(one: Tree, other: Tree, path: str = "") -> Iterator[str]:
    """Yield the paths of what differs between two files, chunks numbered among those of their name."""
    names = [name for name, _, _ in one], [name for name, _, _ in other]
    if names[0] != names[1]:
        for name in sorted({*names[0], *names[1]}):
            counts = [each.count(name) for each in names]
            if counts[0] != counts[1]:
                yield f"{path}{name} {counts[0]} -> {counts[1]}"
        if sorted(names[0]) == sorted(names[1]):
            yield f"{path}order"
        return
    seen: dict[str, int] = {}
    for (name, body, inner), (_, other_body, other_inner) in zip(one, other, strict=True):
        number = seen[name] = seen.get(name, -1) + 1
        here = f"{path}{name}[{number}]"
        if body != other_body:
            yield here
        yield from differing_chunks(inner, other_inner, f"{here}.")


def differences(one: bytes, other: bytes) -> list[str]:
    """Return the paths of what differs between two files."""
    return list(differing_chunks(tree(one), tree(other)))
