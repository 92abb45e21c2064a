"""New models, textures and animations of injections: the form of TRXI, and the sections of a game in TRXJ.

TRXI stores them as no game does, so that one file fits all: the engine packs them for the game that it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints, Words
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import (
    ANIMATION_RECORD,
    ANIMATION_TR4,
    COLOR,
    I16,
    MESH_QUAD,
    MESH_TRIANGLE,
    MODEL,
    OBJECT_TEXTURE_RECORD,
    OBJECT_TEXTURE_TR4,
    QUAD,
    TRIANGLE,
    U8,
    U16,
    U32,
)
from ...base.errors import FormatError
from ...base.games import Game
from ...base.messages import T
from ...base.schema.fields import Record, read_record, record_bytes
from ..animations.frames import Keys, LevelKeys, decode_frames, encode_frames
from ..animations.key_places import HEAD_WORDS
from ..meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from ..textures.textiles import expand_palette
from .kinds import BlockId
from .records import FRAME, MESH, block_type
from .trxj import Injection

NO_FRAMES = 0xFFFFFFFF  # of a model that keeps the animations of the level
_FACES = {"quads": 4, "triangles": 3, "colored_quads": 4, "colored_triangles": 3}
# Key frames of an animation get as many rotations as the largest. Files whose sizes differ by more are made
# to exhaust memory.
_MOST_FILLED, _SMALL = 8, 1 << 14
_ALL_ROTATIONS = 255  # for models with the meshes of the level: as many as key frames store


class _Data(NamedTuple):
    """The content of a block of bytes."""

    number: int  #: of its elements.
    content: bytes


def to_trxi(injection: Injection) -> None:
    """Give the new data of an injection the form of TRXI, in place. Its version is left alone.

    Raises FormatError if it is damaged, or not for the game of the injection.
    """
    game = injection.game
    _replace(injection, BlockId.PALETTES, lambda data: expand_palette(_array(data, COLOR)))
    _replace(
        injection,
        BlockId.OBJECT_TEXTURES,
        lambda data: _wide_textures(_array(data, OBJECT_TEXTURE_RECORD[game])),
    )
    if _has(injection, BlockId.MESHES):
        _meshes_to_trxi(injection)
    animations = _array(_content(injection, BlockId.ANIMATIONS), ANIMATION_RECORD[game])
    models = injection.records(BlockId.OBJECTS)
    if len(animations) or models:
        _frames_to_trxi(injection, animations, models)


def to_game(injection: Injection, game: Game) -> list[str]:
    """Give the new data of an injection of TRXI the form of a game, in place. Return what the game lacks.

    Raises:
        FormatError: if it is damaged.
        ExportError: if the game cannot hold a mesh or its key frames.
    """
    lost: list[str] = []
    _replace(injection, BlockId.PALETTES, lambda data: _array(data, COLOR) >> 2)
    _replace(
        injection,
        BlockId.OBJECT_TEXTURES,
        lambda data: _fitted(_array(data, OBJECT_TEXTURE_TR4), OBJECT_TEXTURE_RECORD[game]),
    )
    if _has(injection, BlockId.MESHES):
        lost += _meshes_to_game(injection, game)
    if _has(injection, BlockId.ANIMATIONS) or injection.records(BlockId.OBJECTS):
        _frames_to_game(injection, game)
    return lost


# --- Blocks --------------------------------------------------------------------------------------


def _has(injection: Injection, type_: int) -> bool:
    return any(block.type == type_ for block in injection.blocks)


def _content(injection: Injection, type_: int) -> _Data:
    blocks = [block for block in injection.blocks if block.type == type_]
    content = b"".join(block.content or b"" for block in blocks)
    return _Data(sum(block.count for block in blocks), content)


def _array(data: _Data, dtype: np.dtype) -> NDArray[Any]:
    if len(data.content) % dtype.itemsize:
        expected = f"elements of {dtype.itemsize} bytes"
        raise FormatError("new models", expected, f"{len(data.content)} bytes")
    return np.frombuffer(data.content, dtype)


def _put(injection: Injection, type_: int, count: int, content: bytes) -> None:
    """Replace the content of a block, of all of its kind."""
    for block in injection.blocks:
        if block.type == type_:
            block.count, block.content = 0, b""
    if count or _has(injection, type_):
        injection.add_bytes(type_, count, content)
    for chunk in injection.chunks:
        first = next((block for block in chunk.blocks if block.type == type_), None)
        chunk.blocks = [block for block in chunk.blocks if block.type != type_ or block is first]


def _replace(injection: Injection, type_: int, change: Callable[[_Data], NDArray[Any]]) -> None:
    if _has(injection, type_):
        result = change(_content(injection, type_))
        _put(injection, type_, len(result), np.ascontiguousarray(result).tobytes())


def _fitted(records: NDArray[Any], dtype: np.dtype) -> NDArray[Any]:
    """Return records of another type with the fields that both have."""
    result = np.zeros(len(records), dtype)
    for name in set(records.dtype.names or ()) & set(dtype.names or ()):
        result[name] = records[name]
    return result


def _wide_textures(records: NDArray[Any]) -> NDArray[Any]:
    """Return object textures with the fields of TR4. What TR1 to TR3 lack follows from the corners."""
    result = _fitted(records, OBJECT_TEXTURE_TR4)
    if "width" not in (records.dtype.names or ()):
        pixels = records["uv"].astype(np.int64) >> 8
        result["original_u"], result["original_v"] = pixels.min(axis=1).T << 16
        result["width"], result["height"] = (np.ptp(pixels, axis=1) - 1).clip(0).T
    return result


# --- Meshes --------------------------------------------------------------------------------------


def _meshes_to_trxi(injection: Injection) -> None:
    data = _array(_content(injection, BlockId.MESHES), U8)
    block = decode_meshes(injection.game, data, _array(_content(injection, BlockId.MESH_POINTERS), U32))
    pieces = [record_bytes(MESH, _mesh_record(mesh)) for mesh in block.meshes]
    starts = np.cumsum([0, *map(len, pieces)])
    pointers = starts[block.pointers].astype(U32)
    _put(injection, BlockId.MESH_POINTERS, len(pointers), pointers.tobytes())
    _put(injection, BlockId.MESHES, len(pieces), b"".join(pieces))


def _mesh_record(mesh: Mesh) -> Record:
    record: Record = {"center": list(mesh.center), "radius": mesh.radius}
    for name in ("vertices", "normals", "lights"):
        values = getattr(mesh, name)
        record[name] = [] if values is None else values.ravel().tolist()
    for name, corners in _FACES.items():
        faces = getattr(mesh, name)
        rows = np.zeros((len(faces), corners + 2), np.int64)
        rows[:, :corners], rows[:, corners] = faces["vertices"], faces["texture"]
        if "effects" in (faces.dtype.names or ()):
            rows[:, corners + 1] = faces["effects"]
        record[name] = rows.ravel().tolist()
    return record


def _meshes_to_game(injection: Injection, game: Game) -> list[str]:
    content = _content(injection, BlockId.MESHES)
    numbers: dict[int, int] = {}
    encoded: list[bytes] = []
    lost = set[str]()
    for offset, record in _records(BlockId.MESHES, content):
        numbers[offset] = len(encoded)
        mesh, missing = _mesh(record, game)
        lost |= missing
        encoded.append(encode_mesh(game, mesh, f"mesh {len(encoded)}"))
    pointers = _array(_content(injection, BlockId.MESH_POINTERS), U32).tolist()
    wrong = next((row for row, offset in enumerate(pointers) if offset not in numbers), None)
    if wrong is not None:
        raise FormatError("mesh pointers", "the start of a mesh", str(pointers[wrong]), element=wrong)
    indices = np.array([numbers[offset] for offset in pointers], np.int32)
    mesh_data, new_pointers = encode_block(encoded, indices)
    _put(injection, BlockId.MESH_POINTERS, len(new_pointers), new_pointers.tobytes())
    _put(injection, BlockId.MESHES, len(mesh_data) // 2, mesh_data.tobytes())
    return sorted(lost)


def _mesh(record: Record, game: Game) -> tuple[Mesh, set[str]]:
    """Return a mesh, and what the game lacks of it."""
    lost = set[str]()
    faces: list[NDArray[Any]] = []
    types = MESH_QUAD[game], MESH_TRIANGLE[game], QUAD, TRIANGLE
    for (name, corners), dtype in zip(_FACES.items(), types, strict=True):
        rows = np.array(record[name], U16).reshape(-1, corners + 2)
        result = np.zeros(len(rows), dtype)
        result["vertices"], result["texture"] = rows[:, :corners], rows[:, corners]
        if "effects" in (dtype.names or ()):
            result["effects"] = rows[:, corners + 1]
        elif rows[:, corners + 1].any():
            lost.add(T("effects of faces"))
        if len(rows) and name.startswith("colored") and not game.traits.has_colored_faces:
            lost.add(T("faces of one color"))
        faces.append(result)
    normals, lights = (np.array(record[name], I16) for name in ("normals", "lights"))
    has_normals = len(normals) > 0
    mesh = Mesh(
        (*record["center"],),
        record["radius"],
        0,
        np.array(record["vertices"], I16).reshape(-1, 3),
        normals.reshape(-1, 3) if has_normals else None,
        None if has_normals else lights,
        faces[0],
        faces[1],
        faces[2],
        faces[3],
    )
    return mesh, lost


def _records(type_: int, data: _Data) -> Iterator[tuple[int, Record]]:
    """Yield the elements of a block of bytes, each after its offset."""
    element = block_type(type_).element
    assert isinstance(element, tuple)
    cursor = Cursor(data.content, inside="injection")
    cursor.section = block_type(type_).name
    for number in range(data.number):
        cursor.element = number
        yield cursor.offset, read_record(element, cursor)


# --- Key frames ----------------------------------------------------------------------------------


def _frames_to_trxi(injection: Injection, animations: NDArray[Any], models: Sequence[Record]) -> None:
    """Convert animations and key frames. Animations that share key frames get their own."""
    game, frames = injection.game, _array(_content(injection, BlockId.FRAMES), U16)
    keys = decode_frames(game, frames, animations, _owners(models, len(animations)))
    pieces = [record_bytes(FRAME, record) for record in _frame_records(keys)]
    firsts = {2 * int(word): number for number, word in reversed([*enumerate(keys.words)])}
    for record in models:
        offset = record["frame"]
        if offset == NO_FRAMES:
            continue
        if offset not in firsts:
            single = _single_key(game, frames, offset, record["mesh_count"] or _ALL_ROTATIONS)
            firsts[offset] = len(pieces)
            pieces += [record_bytes(FRAME, each) for each in islice(_frame_records(single), 1)]
        record["frame"] = firsts[offset]
    if len(animations):
        wide = _fitted(animations, ANIMATION_TR4)
        # Those without key frames need the number of one, too.
        first = wide["frame_offset"] = keys.first_keys.clip(max=max(len(keys.words) - 1, 0))
        if len(keys.words):
            wide["frame_size"] = (HEAD_WORDS + 2 * keys.rotation_counts[first]).clip(max=255)
        _put(injection, BlockId.ANIMATIONS, len(wide), wide.tobytes())
    _put(injection, BlockId.FRAMES, len(pieces), b"".join(pieces))


def _owners(models: Sequence[Record], count: int) -> NDArray[Any]:
    """Return records of models, for their numbers of meshes. All animations get a model."""
    rows = [
        (record["mesh_count"] or _ALL_ROTATIONS, record["animation"])
        for record in models
        if record["frame"] != NO_FRAMES and record["animation"] >= 0
    ]
    if count and not any(animation == 0 for _, animation in rows):
        rows.append((_ALL_ROTATIONS, 0))
    result = np.zeros(len(rows), MODEL)
    for row, (meshes, animation) in zip(result, rows, strict=True):
        row["meshes"], row["animation"] = np.uint16(meshes & 0xFFFF), animation
    return result


def _single_key(game: Game, frames: Words, offset: int, meshes: int) -> LevelKeys:
    """Return the key frame of a model without animations. It has none if the offset is that of no frame."""
    animation = np.zeros(1, ANIMATION_RECORD[game])
    animation["frame_offset"] = offset
    size = min(len(frames) - offset // 2, 255)
    animation["frame_size"] = max(size, 0)
    model = np.zeros(1, MODEL)
    model["meshes"] = meshes
    end = frames[: offset // 2 + size] if game.traits.has_packed_frames else frames
    return decode_frames(game, end, animation, model)


def _frame_records(keys: LevelKeys) -> Iterator[Record]:
    boxes, offsets = keys.boxes.tolist(), keys.offsets.tolist()
    angles = keys.angles.view(I16)
    ends = keys.first_rotations + keys.rotation_counts
    for number, (start, end) in enumerate(zip(keys.first_rotations, ends, strict=True)):
        rotations = angles[start:end].ravel().tolist()
        yield {"box": boxes[number], "offset": offsets[number], "rotations": rotations}


def _frames_to_game(injection: Injection, game: Game) -> None:
    """Pack the key frames in their order. A run ends where an animation or a model has its first one."""
    frames = [record for _, record in _records(BlockId.FRAMES, _content(injection, BlockId.FRAMES))]
    animations = _array(_content(injection, BlockId.ANIMATIONS), ANIMATION_TR4)
    models = [each for each in injection.records(BlockId.OBJECTS) if each["frame"] != NO_FRAMES]
    starts = {0, len(frames), *animations["frame_offset"].tolist(), *(each["frame"] for each in models)}
    ordered = sorted(starts)
    if ordered[-1] > len(frames):
        raise FormatError("frames", f"{ordered[-1]} key frames", str(len(frames)))
    runs = {len(frames): (0, 0)}
    words: list[Words] = []
    size = 0
    for first, end in pairwise(ordered):
        encoded = encode_frames(game, _keys(frames[first:end]), subject=f"key frames {first} to {end - 1}")
        runs[first] = 2 * size, encoded.frame_size
        words.append(encoded.words)
        size += len(encoded.words)
    runs[len(frames)] = 2 * size, 0
    if len(animations):
        result = _fitted(animations, ANIMATION_RECORD[game])
        for row in result:
            row["frame_offset"], row["frame_size"] = runs[int(row["frame_offset"])]
        _put(injection, BlockId.ANIMATIONS, len(result), result.tobytes())
    for record in models:
        record["frame"] = runs[record["frame"]][0]
    _put(injection, BlockId.FRAMES, size, b"".join(each.tobytes() for each in words))


def _keys(frames: Sequence[Record]) -> Keys:
    counts: Ints = np.array([len(each["rotations"]) // 3 for each in frames], np.int64)
    if len(frames) * int(counts.max(initial=0)) > _MOST_FILLED * int(counts.sum() + _SMALL):
        raise FormatError("frames", "key frames with about the same number of rotations", "others")
    angles = np.zeros((len(frames), int(counts.max(initial=0)), 3), U16)
    for row, (frame, count) in enumerate(zip(frames, counts.tolist(), strict=True)):
        angles[row, :count] = np.array(frame["rotations"], I16).view(U16).reshape(-1, 3)
    heads: Mapping[str, NDArray[np.int16]] = {
        name: np.array([each[name] for each in frames], I16) for name in ("box", "offset")
    }
    return Keys(heads["box"], heads["offset"], angles, counts=counts)
