"""One cutscene of TR4 and TR5: the camera and the actors, frame by frame (documentation, chapter 14).

A header is followed by two camera tracks (target, position) and, for each actor, one track more than it has
meshes: the position of its root, then the rotation of each mesh. A track is three streams of
:mod:`.delta_streams`, for x, y and z. The documentation is corrected by the behavior of the engines: which
bits give the word widths, and which camera track is which.

An unedited cutscene keeps its bytes; an edited one keeps those of its unedited tracks.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.cursor import Cursor
from ...base.bytes.records import I16, I32, U16
from ...base.errors import ExportError
from ...base.messages import T
from ...base.units import TURN
from .delta_streams import MOST_BITS, SLACK, DeltaStream, decode_streams, encode_streams

MOST_ACTORS = 10
MOST_FRAMES = 0x7FFF
_FARTHEST = 0x7FFF  # from the origin, in units of a track
ANGLE_BITS = 10  # a turn is 1024
ANGLE_STEP = TURN >> ANGLE_BITS  # of the angles of rotations
CAMERA_SCALE, ACTOR_SCALE = 2, 3  # world units per unit of a track
LARA_NODES = 15

_HEADER = Struct("<hh3iii")  # actors, frames, origin, audio track, camera's offset
_ACTOR = np.dtype([("offset", I32), ("slot", I16), ("nodes", I16)])
TRACK = np.dtype([("keys", I16, (3,)), ("widths", U16), ("words", I16, (3,))])
_SHIFTS = np.array([10, 5, 0])  # of x, y, z in a track's widths
_NO_WIDTH = 0xFFFF & ~(MOST_BITS << 10 | MOST_BITS << 5 | MOST_BITS)
_CAMERA_TRACKS = 2

Int16s = NDArray[np.int16]


@dataclass
class Actor:
    """An actor."""

    slot: int  #: the id of its model. The first actor is Lara, whatever its slot.
    #: (frames, 3) int16, the position of its root mesh relative to the cutscene's origin, in thirds of world
    #: units.
    root: Int16s
    #: (frames, meshes, 3) uint16, of each mesh about x, y and z, 1024 per turn.
    rotations: NDArray[np.uint16]

    def positions(self) -> NDArray[np.int32]:
        """Return the positions of the root mesh relative to the origin, (frames, 3) int32 in world units."""
        return self.root.astype(np.int32) * ACTOR_SCALE


@dataclass
class Cutscene:
    """A cutscene. Arrays that were read are read-only: replace an attribute to edit it."""

    origin: tuple[int, int, int]  #: its origin, x, y, z in world units, y down.
    audio_track: int  #: the number of its audio track, -1 for none.
    #: (frames, 3) int16, the camera's target relative to the origin, in halves of world units.
    target: Int16s
    camera: Int16s  #: (frames, 3) int16, the camera's position, likewise.
    actors: list[Actor] = field(default_factory=list)  #: the actors, Lara first.
    source: CutsceneSource | None = None

    @property
    def num_frames(self) -> int:
        """The number of frames, 30 per second."""
        return len(self.camera)

    def camera_positions(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the camera's target and its position, each (frames, 3) int32 in world units."""
        origin = np.array(self.origin, np.int32)
        target, camera = (track.astype(np.int32) * CAMERA_SCALE for track in (self.target, self.camera))
        return target + origin, camera + origin

    def set_camera(self, target: NDArray[Any], camera: NDArray[Any]) -> None:
        """Set the camera's target and its position, each (frames, 3), in world units.

        Raises ExportError if one is too far from the origin.
        """
        origin = np.array(self.origin)
        self.target = to_track(np.asarray(target) - origin, CAMERA_SCALE, "camera target")
        self.camera = to_track(np.asarray(camera) - origin, CAMERA_SCALE, "camera")

    def to_bytes(self) -> bytes:
        """Return the cutscene's bytes. An unedited cutscene is written byte for byte as it was read.

        Raises:
            ExportError: if there are too many actors or frames, tracks differ in length, or a value changes
                too much between two frames.
        """
        return _write(self)


def to_track(positions: NDArray[Any], scale: int, subject: str) -> Int16s:
    """Return positions relative to an origin as rounded units of a track.

    Args:
        positions: (frames, 3) in world units.
        scale: world units per unit: :data:`CAMERA_SCALE` or :data:`ACTOR_SCALE`.

    Raises:
        ExportError: if one is too far away.
    """
    numbers = np.rint(np.asarray(positions, np.float64) / scale)
    farthest = int(np.abs(numbers).max(initial=0))
    if farthest > _FARTHEST:
        problem = T("is too far from the cutscene's origin, in world units")
        raise ExportError(subject, problem, count=farthest * scale, limit=_FARTHEST * scale)
    return numbers.astype(np.int16)


@dataclass(frozen=True)
class CutsceneBlock:
    """The tracks of the camera or of an actor as they were read."""

    offset: int  #: the offset of the block in its cutscene.
    headers: NDArray[np.void]  #: (tracks,) of :data:`TRACK`.
    streams: list[DeltaStream]  #: three for each track.
    values: Int16s  #: (tracks, 3, frames) int16, decoded.

    @property
    def end(self) -> int:
        """The offset of the first byte after the block."""
        last = self.streams[-1] if self.streams else None
        return last.offset + last.size if last else self.offset


@dataclass(frozen=True)
class CutsceneSource:
    """The original of a cutscene: its bytes, and its blocks, the camera's first."""

    data: bytes
    blocks: list[CutsceneBlock]


class Summary(NamedTuple):
    """The header of a cutscene: the number of frames, the audio track, the ids of the actors' models."""

    num_frames: int
    audio_track: int
    slots: list[int]


def read_summary(data: bytes) -> Summary:
    """Read only the header of a cutscene. Raises FormatError if it is damaged."""
    frames, _, audio_track, _, records = _read_head(_cursor(data, "cutscene"))
    return Summary(frames, audio_track, records["slot"].tolist())


def read_cutscene(data: bytes, section: str = "cutscene") -> Cutscene:
    """Decode the bytes of a whole cutscene. Raises FormatError if it is damaged."""
    cursor = _cursor(data, section)
    frames, origin, audio_track, camera_offset, records = _read_head(cursor)
    extents = [(camera_offset, _CAMERA_TRACKS)]
    for number, (offset, _, nodes) in enumerate(records.tolist()):
        if nodes < 0:
            position = _HEADER.size + number * _ACTOR.itemsize
            raise cursor.error("a number of meshes", str(nodes), element=number, offset=position)
        extents.append((offset, nodes + 1))
    headers = [_read_headers(cursor, offset, tracks) for offset, tracks in extents]
    streams = [
        _locate_streams(cursor, header, offset) for header, (offset, _) in zip(headers, extents, strict=True)
    ]
    values = decode_streams(data, [stream for part in streams for stream in part], frames, section)
    values.flags.writeable = False
    blocks: list[CutsceneBlock] = []
    first = 0
    for (offset, tracks), header, part in zip(extents, headers, streams, strict=True):
        block_values = values[first : first + 3 * tracks].reshape(tracks, 3, frames)
        blocks.append(CutsceneBlock(offset, header, part, block_values))
        first += 3 * tracks
    target, camera = blocks[0].values.transpose(0, 2, 1)
    cutscene = Cutscene(origin, audio_track, target, camera, [], CutsceneSource(data, blocks))
    for record, block in zip(records, blocks[1:], strict=True):
        angles = (block.values[1:] & ((1 << ANGLE_BITS) - 1)).astype(np.uint16)
        angles.flags.writeable = False
        cutscene.actors.append(Actor(int(record["slot"]), block.values[0].T, angles.transpose(2, 0, 1)))
    return cutscene


def _cursor(data: bytes, section: str) -> Cursor:
    cursor = Cursor(data)
    cursor.section = section
    return cursor


def _read_head(cursor: Cursor) -> tuple[int, tuple[int, int, int], int, int, NDArray[Any]]:
    """Return the frames, the origin, the audio track, the camera's offset, and the actors' records."""
    actors, frames, x, y, z, audio_track, camera_offset = cursor.fields(_HEADER)
    if not 0 <= actors <= MOST_ACTORS:
        raise cursor.error(f"0 to {MOST_ACTORS} actors", str(actors), offset=0)
    if frames < 0:
        raise cursor.error("a number of frames", str(frames), offset=2)
    return frames, (x, y, z), audio_track, camera_offset, cursor.array(_ACTOR, actors)


def _read_headers(cursor: Cursor, offset: int, tracks: int) -> NDArray[np.void]:
    if not _HEADER.size <= offset <= len(cursor.data):
        raise cursor.error("tracks within the cutscene", f"an offset of {offset}", offset=0)
    cursor.offset = offset
    headers = cursor.array(TRACK, tracks)
    if tracks and int(headers["words"].min()) < 0:
        element = int(headers["words"].min(axis=1).argmin())
        position = offset + element * TRACK.itemsize
        actual = str(headers["words"][element].min())
        raise cursor.error("counts of words", actual, element=element, offset=position)
    return headers


def _locate_streams(cursor: Cursor, headers: NDArray[np.void], offset: int) -> list[DeltaStream]:
    """Return the streams of tracks, which are stored consecutively after the headers."""
    bits = (headers["widths"][:, None].astype(np.int64) >> _SHIFTS) & MOST_BITS
    words = headers["words"].astype(np.int64)
    sizes = ((words * bits >> 3) + SLACK).reshape(-1)
    offsets = offset + headers.nbytes + np.cumsum(sizes) - sizes
    if len(sizes) and int(offsets[-1] + sizes[-1]) > len(cursor.data):
        element = int(np.argmax(offsets + sizes > len(cursor.data)))
        start = int(offsets[element])
        expected, actual = f"{sizes[element]} bytes of a stream", f"{len(cursor.data) - start}"
        raise cursor.error(expected, actual, element=element // 3, offset=start)
    columns = (headers["keys"].reshape(-1), bits.reshape(-1), words.reshape(-1), offsets)
    return [DeltaStream(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


# --- Encoding ----------------------------------------

_Packed = dict[int, tuple[DeltaStream, bytes]]  # streams of a block by index


def _write(cutscene: Cutscene) -> bytes:
    _check(cutscene)
    source = cutscene.source
    blocks = source.blocks if source is not None else []
    tracks = _all_tracks(cutscene)
    kept = [
        _unchanged(values, blocks[number] if number < len(blocks) else None, number > 0)
        for number, values in enumerate(tracks)
    ]
    if (
        source is not None
        and len(blocks) == len(tracks)
        and all(
            mask.all() and len(mask) == len(block.headers) for mask, block in zip(kept, blocks, strict=True)
        )
    ):
        offsets = [block.offset for block in blocks]
        head = _head(cutscene, offsets)
        return head + source.data[len(head) :]
    if not cutscene.num_frames:
        raise ExportError("cutscene", T("has no frames"))
    content = _assemble(cutscene, tracks, kept)
    rewritten = read_cutscene(content).source
    assert rewritten is not None
    if all(
        _unchanged(values, block, number > 0).all()
        for number, (values, block) in enumerate(zip(tracks, rewritten.blocks, strict=True))
    ):
        return content
    # A stream with too few words continued into the next one, whose place has changed.
    return _assemble(cutscene, tracks, [np.zeros_like(mask) for mask in kept])


def _assemble(cutscene: Cutscene, tracks: list[NDArray[np.int64]], kept: list[NDArray[np.bool_]]) -> bytes:
    """Return a cutscene of consecutive blocks in their original order, new ones last."""
    source = cutscene.source or CutsceneSource(b"", [])
    blocks: list[bytes] = []
    for number, changed in enumerate(_encode(tracks, kept)):
        original = source.blocks[number] if number < len(source.blocks) else None
        blocks.append(_join_block(len(tracks[number]), kept[number], changed, original, source.data))
    old_offsets = [block.offset for block in source.blocks] + [len(source.data)] * len(tracks)
    offsets = [0] * len(blocks)
    body: list[bytes] = []
    size = _HEADER.size + _ACTOR.itemsize * len(cutscene.actors)
    for number in sorted(range(len(blocks)), key=old_offsets.__getitem__):
        body += (bytes(-size % 4), blocks[number])
        offsets[number] = size + -size % 4
        size = offsets[number] + len(blocks[number])
    return b"".join((_head(cutscene, offsets), *body))


def _check(cutscene: Cutscene) -> None:
    """Raise an ExportError for limits of cutscenes."""
    frames = cutscene.num_frames
    if len(cutscene.actors) > MOST_ACTORS:
        raise ExportError("cutscene", T("too many actors"), count=len(cutscene.actors), limit=MOST_ACTORS)
    if frames > MOST_FRAMES:
        raise ExportError("cutscene", T("too many frames"), count=frames, limit=MOST_FRAMES)
    if len(cutscene.target) != frames:
        problem = T("its target has a different number of frames")
        raise ExportError(T("camera"), problem, count=len(cutscene.target), limit=frames)
    for track in (cutscene.target, cutscene.camera):
        _check_range(track, "camera")
    for number, actor in enumerate(cutscene.actors):
        for count in (len(actor.root), len(actor.rotations)):
            if count != frames:
                problem = T("has a different number of frames than the camera")
                raise ExportError(T("actor {number}", number=number), problem, count=count, limit=frames)
        _check_range(actor.root, f"actor {number}")
        if not -0x8000 <= actor.slot <= 0x7FFF:
            subject = T("actor {number}", number=number)
            raise ExportError(subject, T("has no possible model id"), count=actor.slot, limit=0x7FFF)


def _check_range(track: NDArray[Any], subject: str) -> None:
    """Raise an ExportError for positions that exceed 16 bits; arrays of other types may have them."""
    if track.size and not -0x8000 <= int(track.min()) <= int(track.max()) <= 0x7FFF:
        largest = max(-int(track.min()), int(track.max()))
        raise ExportError(subject, T("is too far from the cutscene's origin"), count=largest, limit=0x7FFF)


def _all_tracks(cutscene: Cutscene) -> list[NDArray[np.int64]]:
    """Return the tracks of the camera and of each actor, (tracks, 3, frames) each."""
    tracks = [np.stack([cutscene.target, cutscene.camera]).astype(np.int64).transpose(0, 2, 1)]
    for actor in cutscene.actors:
        values = np.concatenate([actor.root[:, None].astype(np.int64), actor.rotations], axis=1)
        tracks.append(values.transpose(1, 2, 0))
    return tracks


def _unchanged(values: NDArray[np.int64], block: CutsceneBlock | None, is_actor: bool) -> NDArray[np.bool_]:
    """Return which tracks are equal to the ones that were read, (tracks,)."""
    result = np.zeros(len(values), np.bool_)
    if block is None or block.values.shape[2] != values.shape[2]:
        return result
    count = min(len(values), len(block.values))
    differs = block.values[:count] ^ values[:count]
    if is_actor:
        differs[1:] &= (1 << ANGLE_BITS) - 1
    result[:count] = ~differs.any(axis=(1, 2))
    return result


def _head(cutscene: Cutscene, offsets: list[int]) -> bytes:
    records = np.zeros(len(cutscene.actors), _ACTOR)
    records["offset"] = offsets[1:]
    for number, actor in enumerate(cutscene.actors):
        records[number]["slot"], records[number]["nodes"] = actor.slot, actor.rotations.shape[1]
    numbers = (len(cutscene.actors), cutscene.num_frames, *cutscene.origin, cutscene.audio_track, offsets[0])
    try:
        return _HEADER.pack(*numbers) + records.tobytes()
    except struct.error as error:
        raise ExportError(
            "cutscene", T("its origin or audio track does not fit the file: {error}", error=str(error))
        ) from None


def _encode(tracks: list[NDArray[np.int64]], kept: list[NDArray[np.bool_]]) -> list[_Packed]:
    """Pack all changed tracks, those of one kind at once, and return them by block."""
    packed: list[_Packed] = [{} for _ in tracks]
    for wrap in (16, ANGLE_BITS):
        rows: list[NDArray[np.int64]] = []
        positions: list[tuple[int, int]] = []
        names: list[str] = []
        for number, values in enumerate(tracks):
            # Of the camera all tracks are positions, of an actor the first.
            is_position = np.arange(len(values)) < (1 if number else len(values))
            is_selected = (is_position if wrap == 16 else ~is_position) & ~kept[number]
            streams = np.flatnonzero(np.repeat(is_selected, 3))
            rows.append(values.reshape(3 * len(values), values.shape[2])[streams])
            positions += ((number, stream) for stream in streams.tolist())
            stream_names = _names(len(values), number)
            names += (stream_names[stream] for stream in streams.tolist())
        encoded = encode_streams(np.concatenate(rows), wrap, names.__getitem__)
        for (number, stream), packed_stream in zip(positions, encoded, strict=True):
            packed[number][stream] = packed_stream
    return packed


def _join_block(
    tracks: int, kept: NDArray[np.bool_], changed: _Packed, original: CutsceneBlock | None, data: bytes
) -> bytes:
    """Return the headers and streams of tracks; unchanged streams keep their bytes."""
    packed = dict(changed)
    old_streams = original.streams if original is not None else []
    for stream in np.flatnonzero(np.repeat(kept, 3)).tolist():
        old = old_streams[stream]
        packed[stream] = old, data[old.offset : old.offset + old.size]
    ordered = [packed[stream] for stream in range(3 * tracks)]
    headers = np.zeros(tracks, TRACK)
    headers["keys"] = np.array([stream.key for stream, _ in ordered]).reshape(-1, 3)
    headers["words"] = np.array([stream.words for stream, _ in ordered]).reshape(-1, 3)
    bits = np.array([stream.bits for stream, _ in ordered]).reshape(-1, 3)
    headers["widths"] = (bits << _SHIFTS).sum(axis=1)
    if original is not None:  # unused bits of the widths are kept
        unused = original.headers["widths"][:tracks] & _NO_WIDTH
        headers["widths"][: len(unused)] |= np.where(kept[: len(unused)], unused, 0).astype(np.uint16)
    return headers.tobytes() + b"".join(content for _, content in ordered)


def _names(tracks: int, number: int) -> list[str]:
    """Return the names of the streams of a block for errors."""
    parts = ("root", *(f"mesh {mesh}" for mesh in range(tracks - 1))) if number else ("target", "position")
    subject = f"actor {number - 1}" if number else "camera"
    return [f"{subject}, {part}, {axis}" for part in parts for axis in "xyz"]
