"""Files of each kind in which one number has another value: that of no number, the most, the least, none."""

from __future__ import annotations

import json
import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from time import monotonic
from typing import Any

import numpy as np

from io_tomb_raider.formats import ExportError, FormatError, Game, read_level
from io_tomb_raider.formats.base.schema.fields import (
    Choice,
    Field,
    List,
    Many,
    Number,
    Record,
    Row,
    String,
    record_bytes,
)
from io_tomb_raider.formats.edits.patches.patch import make_patch
from io_tomb_raider.formats.levels.injections.fields import (
    TRXI,
    Corners,
    MeshShading,
    ObjectReference,
    Pixels,
    RecordForm,
    SectorRange,
    SoundSamples,
    Splits,
    Waves,
)
from io_tomb_raider.formats.levels.injections.records import BLOCKS, fields_of
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests import wad2_samples as wad2
from tests.animation_samples import anim_change, anim_command, anim_dispatch, anim_file
from tests.formats.levels.game_files.trx_samples import FLOW
from tests.formats.levels.injections.samples import trxi, trxj
from tests.sample_levels import sample_bytes

INTEGERS = (-1, 0, 1 << 8, 1 << 15, 1 << 16, 1 << 31, -(1 << 31), 1 << 32, (1 << 63) - 1, -(1 << 69))
FLOATS = (float("nan"), float("inf"), float("-inf"), -3.5, 1e12, -3e38)
TEXTS = (
    *("NaN", "INF", "-Infinity", "Infinity", "1e12", "-1", "1e38", "-3e38", "1e400", "-1e400", "1.5", ""),
    *("32768", "65536", "2147483648", "-2147483649", "9" * 400, "9" * 5000, "null", "[]", '"x"', "true"),
)
_SECONDS = 10.0

Changed = tuple[object, bytes]  # what was changed, and the file


def attempt(cases: Iterable[Changed], use: Callable[[bytes], object]) -> None:
    """Use files: each is accepted or refused in words, soon, and without warnings of NumPy."""
    count = 0
    for what, data in cases:
        start = monotonic()
        try:
            with warnings.catch_warnings(action="error"):
                use(data)
        except (FormatError, ExportError) as error:
            assert str(error), what
        except Exception as error:
            raise AssertionError(f"{what}: {error!r}") from error
        assert monotonic() - start < _SECONDS, what
        count += 1
    assert count > 10


def extremes(code: str) -> Sequence[float]:
    """Return the extremes of a format of ``struct``."""
    if code in "fd":
        return FLOATS
    bits = 8 * struct.calcsize("<" + code)
    if code.isupper():
        return 0, (1 << bits) - 1, 1 << (bits - 1)
    return 0, -1, (1 << (bits - 1)) - 1, -(1 << (bits - 1))


def decode_all(data: bytes) -> None:
    """Decode all views of a level that its game has; those of damaged records are refused."""
    decoded = Decoded(read_level(data))
    for name in dir(Decoded):
        if not name.startswith("_") and name != "colors":
            with suppress(FormatError):
                getattr(decoded, name)


# --- Bytes -------------------------------------------------------------------------------------


def any_bytes(data: bytes, most: int) -> Iterator[Changed]:
    """Yield a file of which one, two or four bytes are those of extremes, at about so many places."""
    step = max(1, len(data) // most)
    for at in range(0, len(data), step):
        size = (1, 2, 4)[at // step % 3]
        for value in ((1 << 8 * size) - 1, (1 << 8 * size - 1) - 1, 1 << 8 * size - 1, 0):
            yield (at, size, value), data[:at] + value.to_bytes(size, "little") + data[at + size :]


# --- Text --------------------------------------------------------------------------------------


def _any_text(text: str, pattern: str) -> Iterator[Changed]:
    for number, match in enumerate(re.finditer(pattern, text)):
        for value in TEXTS[number % 3 :: 3]:
            changed = text[: match.start(1)] + value + text[match.end(1) :]
            yield (text[: match.end(1)][-40:], value[:9]), changed.encode()


def animations() -> Iterator[Changed]:
    """Yield ``.anim`` files."""
    changes, commands = [anim_change(3, anim_dispatch(0, 1, 2, 3))], [anim_command("PlaySound", 1, 2, 3)]
    text = anim_file(changes=changes, commands=commands).decode()
    yield from _any_text(text, r">([-0-9.E]+)<")
    for tag in ("X", "Angles"):
        nested = f"<{tag}>" * 100_000 + f"</{tag}>" * 100_000
        yield f"nested {tag}", text.replace("<KeyFrames>", f"<KeyFrames>{nested}").encode()


def game_flows() -> Iterator[Changed]:
    """Yield game flows of TRX."""
    text = FLOW.replace('"fog_end"', '"fog_start": 12.5, "fog_end"')
    yield from _any_text(text, r'(?<![\w"])(\d[\d.]*)(?![\w"])')
    for start, end in (("[", "]"), ("{a:", "}"), ('{"levels":[', "")):
        yield f"nested {start}", (start * 100_000 + end * 100_000).encode()


def patches(game: Game) -> Iterator[Changed]:
    """Yield patches of the sample level."""
    level = read_level(sample_bytes(game))
    entities = np.concatenate([level.entities[1:], level.entities[:1], level.entities[:1]])
    entities["x"][0] += 1
    level.entities = entities
    level.mesh_data = np.concatenate([level.mesh_data, level.mesh_data[:4]])
    level.rooms = [*level.rooms, level.rooms[0].copy()]
    vertices = level.rooms[0].vertices.copy()
    vertices[1:3] = vertices[0]
    level.rooms[0].vertices = vertices
    document = json.loads(make_patch(sample_bytes(game), level.to_bytes()).to_bytes())
    assert "whole" not in document
    merged = {**document, "base": {**document["base"], "sha256": "0"}}
    for whole in (document, merged):
        for number, path in enumerate(_numbers(whole)):
            for value in TEXTS[number % 3 :: 3]:
                changed = deepcopy(whole)
                owner = changed
                for each in path[:-1]:
                    owner = owner[each]
                owner[path[-1]] = "@"
                yield (path, value[:9]), json.dumps(changed).replace('"@"', value).encode()
    for start in ("[", '{"patch":'):
        yield f"nested {start}", start.encode() * 100_000


def _numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield path
    elif isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value[:8]):
            yield from _numbers(each, (*path, name))


# --- Chunks ------------------------------------------------------------------------------------

# Numbers of chunks without children: l whole numbers of any size, others as in struct.
_LEAVES = {
    **dict.fromkeys(("W2SuggestedGameVersion", "W2SoundSystem", "W2Index", "W2SpritePtr"), "l"),
    **dict.fromkeys(("W2MeshLightType", "W2MeshVisible", "W2BoneMesh", "W2AniRM", "W2CmdSnd"), "l"),
    **dict.fromkeys(("W2StaticAmbientLight", "W2StaticShatterSound"), "l"),
    **dict.fromkeys(("W2SphC", "W2BBMin", "W2BBMax", "W2Pos", "W2N", "W2VxCol"), "fff"),
    **dict.fromkeys(("W2BoneTrans", "W2KfOffs", "W2KfA"), "fff"),
    **dict.fromkeys(("W2CurveStart", "W2CurveEnd", "W2CurveHStart", "W2CurveHEnd"), "ff"),
    **{"W2SphR": "d", "W2SprSides": "iiii", "W2AniV": "ffff", "W2VxAttr": "ll", "W2Disp": "llll"},
    "W2VrtWght": "if" * 4,
    **{"W2Tr2": "lllll" + "f" * 10 + "lB", "W2Uq2": "llllll" + "f" * 12 + "lB"},
}
_TEXTS_AND_DATA = {
    *("W2TxtData", "W2MeshName", "W2AnmName", "W2TxtName", "W2TxtRelPath", "W2StaticShatter", "W2Later"),
    *("W2Metadata", "W2FromTheFuture", "W2Properties", "W2AnimatedTextureSets"),
}


def wad2_files() -> Iterator[Changed]:
    """Yield WAD2 files: each number of each chunk has some of the values, others than the number before."""
    base = wad2.tree(wad2.sample_wad2())
    for number, (path, name, (code, start, end)) in enumerate(_chunk_numbers(base)):
        values = INTEGERS if code == "l" else extremes(code)
        for value in values[number % 3 :: 3]:
            raw = wad2.leb(int(value)) if code == "l" else struct.pack("<" + code, value)
            content = _joined(base, path, (start, end, raw))
            yield (name, start, value), b"WAD2" + bytes(4) + content + b"\0"


_Edit = tuple[int, int, bytes]  # of a chunk's content: its first byte, the byte after it, the new bytes


def _joined(tree: wad2.Tree, path: Sequence[int] = (), edit: _Edit = (0, 0, b"")) -> bytes:
    """Return chunks, one of them edited."""
    parts = []
    for place, (name, body, inner) in enumerate(tree):
        is_edited = bool(path) and place == path[0]
        if is_edited and len(path) == 1:
            body = body[: edit[0]] + edit[2] + body[edit[1] :]
        below = path[1:] if is_edited else ()
        if not inner:
            content = body + b"\0" if name in wad2.PARENTS else body
        elif is_edited:
            content = body + _joined(inner, below, edit) + b"\0"
        else:
            key = id(inner)
            if key not in _known:
                _known[key] = inner, _joined(inner)
            content = body + _known[key][1] + b"\0"
        parts.append(wad2.leaf(name, content, 4))
    return b"".join(parts)


_known: dict[int, tuple[wad2.Tree, bytes]] = {}  # lists of chunks without edits


_Place = tuple[str, int, int]  # of a number in a chunk: its code, its first byte, and the byte after it


def _chunk_numbers(
    tree: wad2.Tree, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], str, _Place]]:
    for place, (name, body, inner) in enumerate(tree):
        count = wad2.PARENTS.get(name)
        assert count is not None or name in _LEAVES or name in _TEXTS_AND_DATA, name
        codes = _LEAVES.get(name, "") if count is None else "li" if count < 0 else "l" * count
        at = 0
        for code in codes:
            end = wad2.number(body, at)[1] if code == "l" else at + struct.calcsize("<" + code)
            yield (*path, place), name, (code, at, end)
            at = end
        yield from _chunk_numbers(inner, (*path, place))


# --- Injections --------------------------------------------------------------------------------


def injections(game: Game, version: int) -> Iterator[Changed]:
    """Yield injections with one record of each form of each type."""
    form = RecordForm(version, game)
    for kind, block in BLOCKS.items():
        fields = fields_of(kind, form)
        if version >= TRXI and isinstance(block.element, tuple):
            fields = block.element
        for record in _records(fields, form) if fields else ():
            for number, (what, changed) in enumerate(_variants(fields, record, form)):
                with suppress(ExportError):  # counts that the record has not
                    content = record_bytes(fields, changed, form=form)
                    if number % 6 == kind % 6:
                        blocks = [(kind, 1, content)]
                        data = trxi((6, 1, blocks)) if version >= TRXI else trxj(version, blocks, level=0)
                        yield (game, version, block.name, what), data


def _records(fields: Sequence[Field], form: RecordForm) -> list[Record]:
    """Return plain records with these fields: one for each combination of their choices."""
    records: list[Record] = [{}]
    for field in fields:
        made = []
        for record in records:
            if isinstance(field, Choice):
                for case, inner in field.cases.items():
                    some = _records((*field.between, *inner), form)
                    made += [{**record, field.name: case, **each} for each in some]
                continue
            record.update(_plain(field, record, form))
            made.append(record)
        records = made
    return records


def _plain(field: Field, record: Record, form: RecordForm) -> Record:
    """Return the values of a field that has a plain one."""
    if isinstance(field, Number | String | Many) and form.version < field.since:
        return {}
    if isinstance(field, Number):
        return {field.name: 1}
    if isinstance(field, String):
        return {field.name: "a"}
    if isinstance(field, Many):
        return {field.name: _records(field.fields, form)}
    if isinstance(field, Row):
        return {field.name: [1] * (field.count if isinstance(field.count, int) else field.count(form))}
    if isinstance(field, List):
        return {field.name: [1, 1] * field.width}
    if isinstance(field, ObjectReference):
        return {field.name: {"kind": 0, "id": 1}}
    if isinstance(field, Corners):
        return {field.name: [1] * (3 if record["face_type"] % 2 else 4)}
    if isinstance(field, Pixels):
        return {field.name: bytes(field.size * record["width"] * record["height"])}
    if isinstance(field, Splits):
        return {"floor": [1, 1], "ceiling": [1, 1]}
    if isinstance(field, Waves):
        return {"flags": 4, "waves": [b"RIFF"], "sample": 1}
    if isinstance(field, SoundSamples):
        return {field.name: [b"RIFF", 1]}
    if isinstance(field, SectorRange):
        return {field.name: 1024}
    if isinstance(field, MeshShading):
        return {"normals": [1] * 6, "lights": []}
    raise TypeError(field)


def _variants(fields: Sequence[Field], record: Record, form: RecordForm) -> Iterator[tuple[object, Record]]:
    """Yield a record with another number, and a description."""
    for field in fields:
        if isinstance(field, Number) and field.name in record:
            for value in extremes(field.code):
                yield (field.name, value), {**record, field.name: value}
        elif isinstance(field, Row | List | Corners):
            code = "H" if isinstance(field, Corners) else field.code
            yield from _in_list(field.name, record, extremes(code))
        elif isinstance(field, Splits):
            for name in ("floor", "ceiling"):
                yield from _in_list(name, record, extremes("H"))
        elif isinstance(field, ObjectReference):
            for kind in (0, 1, 2, 3, *extremes("i")):
                for number in extremes("i"):
                    yield (field.name, kind, number), {**record, field.name: {"kind": kind, "id": number}}
        elif isinstance(field, Many) and field.name in record:
            for each in record[field.name]:
                for what, changed in _variants(field.fields, each, form):
                    yield (field.name, what), {**record, field.name: [changed]}
        elif isinstance(field, Choice):
            case = record[field.name]
            for what, changed in _variants((*field.between, *field.cases[case]), record, form):
                yield (field.name, case, what), changed


def _in_list(name: str, record: Record, values: Sequence[float]) -> Iterator[tuple[object, Record]]:
    for place in range(min(len(record[name]), 12)):
        for value in values:
            changed = [*record[name]]
            changed[place] = value
            yield (name, place, value), {**record, name: changed}
