"""Decoding and encoding of a WAD2's animations.

Positions are 32-bit floats with y pointing up, angles degrees: pitch, yaw and roll. Frame numbers are in
ticks. Chunks of later editor versions are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import Chunk, children, find, inside, leb_bytes, lebs
from ....base.bytes.records import F32
from ....base.schema.chunks import NUMBER, TEXT, Together
from ...animation_files.animation import FileCommand, FileDispatch, FileStateChange
from ...animation_files.game import with_condition, without_condition
from .chunks import BOX, CONTEXT, NO_BOX, ORIGIN, VECTOR, Vector, leaf, parent, value_in, vectors_of

# The count of leading numbers of an animation by form, and their indices: state, frames, rate, next
# animation, next frame. Older forms also have speeds; the newest adds the duration of blending.
_HEADS = {"W2Ani3": 6, "W2Ani2": 5, "W2Ani": 9, "W2Anm": 11}
_FIELDS = {
    "W2Ani3": (0, 1, 2, 3, 4),
    "W2Ani2": (0, 1, 2, 3, 4),
    "W2Ani": (0, 1, 2, 7, 8),
    "W2Anm": (0, 1, 2, 9, 10),
}
_SPEEDS = {"W2Ani": 3, "W2Anm": 5}  # speed, acceleration, and both laterally, in 1/65536
ANIMATION_FORMS = tuple(_HEADS)
_COUNTS_FRAMES = ("W2Ani", "W2Anm")  # their second number is the count of frames, not the last one
_NO_FRAME = 0xFFFF
_DISPATCHES = {"W2Disp": 4, "W2Disp2": 6}
_COMMANDS = ("W2Cmd2", "W2Cmd")
_PIECES = ("W2Kf", "W2StCh", *_COMMANDS, "W2AniV")
_DEAD_SOUND = NUMBER.new_chunk("W2CmdSnd", -1, CONTEXT)
_ENDS = Vector(4)
_KEY = Together(("W2KfOffs", VECTOR, ORIGIN), ("W2KfBB", BOX, NO_BOX))
# A linear blending curve.
_CURVE = [
    Vector(2).new_chunk(f"W2Curve{name}", (place, place), CONTEXT)
    for name, place in (("Start", 0), ("End", 1), ("HStart", 0.25), ("HEnd", 0.75))
]


class Head(NamedTuple):
    """The plain numbers of an animation."""

    state: int
    last_frame: int
    frame_rate: int
    next_animation: int
    next_frame: int


@dataclass(frozen=True, eq=False)
class Wad2Animation:
    """An animation."""

    chunk: Chunk  #: its original chunk.
    name: str  #: its name in WadTool.
    head: Head  #: its plain numbers.
    velocities: NDArray[np.float32]  #: (4,) float32, start and end, lateral start and end, in units per tick.
    offsets: NDArray[np.float32]  #: (k, 3) float32, the position of the root in each key frame.
    boxes: NDArray[np.float32]  #: (k, 2, 3) float32, the two ends of each key frame's bounding box.
    #: (k, b, 3) float32, degrees about x, y and z for each bone; 0 if the file has none.
    angles: NDArray[np.float32]
    changes: tuple[FileStateChange, ...]
    commands: tuple[FileCommand, ...]


def decode_animation(chunk: Chunk, bones: int) -> Wad2Animation:
    """Decode an animation in any of its forms.

    Args:
        chunk: one of :data:`ANIMATION_FORMS`.

    Raises:
        FormatError: if it is damaged.
    """
    numbers, parts = children(chunk, _HEADS[chunk.name])
    head = _decode_head(chunk.name, numbers)
    keys = [children(part)[1] for part in parts if part.name == "W2Kf"]
    velocities = np.zeros(4, F32)
    if chunk.name in _SPEEDS:
        first = _SPEEDS[chunk.name]
        velocities = _velocities(numbers[first : first + 4], max(len(keys) - 1, 0) * head.frame_rate)
    positions = [_KEY.values(inner, CONTEXT) for inner in keys]
    return Wad2Animation(
        chunk=chunk,
        name=value_in(parts, "W2AnmName", TEXT, ""),
        head=head,
        velocities=value_in(parts, "W2AniV", _ENDS, velocities),
        offsets=np.array([offset for offset, _ in positions], F32).reshape(-1, 3),
        boxes=np.array([box for _, box in positions], F32).reshape(-1, 2, 3),
        angles=_decode_angles(keys, bones),
        changes=tuple(_decode_change(part) for part in parts if part.name == "W2StCh"),
        commands=tuple(_decode_command(part) for part in parts if part.name in _COMMANDS),
    )


def _decode_head(form: str, numbers: Sequence[int]) -> Head:
    state, last, rate, following, frame = (_clipped(numbers[field]) for field in _FIELDS[form])
    if form in _COUNTS_FRAMES:
        last = max(last - 1, 0)
    return Head(state, 0 if last == _NO_FRAME else last, min(rate, 0xFF), following, frame)


def _clipped(value: int) -> int:
    return max(0, min(value, 0xFFFF))


def _velocities(speeds: Sequence[int], duration: int) -> NDArray[np.float32]:
    speed, acceleration, lateral, lateral_acceleration = (value / 65536 for value in speeds)
    ends = (speed + acceleration * duration, lateral + lateral_acceleration * duration)
    return np.array([speed, ends[0], lateral, ends[1]], F32)


def _decode_angles(keys: Sequence[Sequence[Chunk]], bones: int) -> NDArray[np.float32]:
    angles = np.zeros((len(keys), bones, 3), F32)
    for key, inner in zip(angles, keys, strict=True):
        vectors = vectors_of([part for part in inner if part.name == "W2KfA"][:bones])
        key[: len(vectors)] = vectors
    return angles


def _decode_change(chunk: Chunk) -> FileStateChange:
    (state,), parts = children(chunk, 1)
    return FileStateChange(state, tuple(_decode_dispatch(part) for part in parts if part.name in _DISPATCHES))


def _decode_dispatch(chunk: Chunk) -> FileDispatch:
    low, high, animation, frame, *_ = lebs(inside(chunk), _DISPATCHES[chunk.name])
    return FileDispatch(low, high, animation, frame)


def _decode_command(chunk: Chunk) -> FileCommand:
    command = FileCommand(*lebs(inside(chunk), 4))
    return with_condition(command) if chunk.name == "W2Cmd" else command


# --- Encoding ------------------------------------------------------------------------------


def new_animation(form: str, name: str) -> Chunk:
    """Return an empty animation in one of the forms W2Ani2 and W2Ani3."""
    parts = [*(_CURVE if form == "W2Ani3" else ()), TEXT.new_chunk("W2AnmName", name, CONTEXT)]
    return parent(form, parts, (0, 0, 1, 0, 0, 0)[: _HEADS[form]])


def encode_animation(
    old: Wad2Animation,
    head: Head,
    keys: Sequence[Chunk],
    velocities: NDArray[np.float32],
    changes: Sequence[Chunk],
    commands: Sequence[Chunk],
) -> Chunk:
    """Encode an animation in the form of the old one, keeping its other data."""
    numbers, parts = children(old.chunk, _HEADS[old.chunk.name])
    form = old.chunk.name
    # Out-of-range numbers of the file are kept if unchanged.
    for index, value, old_value in zip(_FIELDS[form], head, old.head, strict=True):
        if value != old_value:
            is_count = form in _COUNTS_FRAMES and index == _FIELDS[form][1]
            numbers[index] = value + 1 if is_count else value
    speeds = find(parts, "W2AniV")
    if not np.array_equal(velocities, old.velocities) or (speeds is None and form not in _SPEEDS):
        speeds = _ENDS.new_chunk("W2AniV", velocities, CONTEXT)
    first = next((index for index, part in enumerate(parts) if part.name in _PIECES), len(parts))
    later = [part for part in parts[first:] if part.name not in _PIECES]
    new_parts = (*parts[:first], *keys, *changes, *commands, *([speeds] if speeds else []), *later)
    return parent(form, new_parts, numbers)


def pieces_of(animation: Wad2Animation, *names: str) -> list[Chunk]:
    """Return the chunks of an animation with one of these names."""
    _, parts = children(animation.chunk, _HEADS[animation.chunk.name])
    return [part for part in parts if part.name in names]


def encode_key(
    offset: NDArray[np.float32],
    box: NDArray[np.float32],
    angles: NDArray[np.float32],
    old: Chunk | None = None,
) -> Chunk:
    """Encode a key frame, keeping other data of an old one and angles of excess bones.

    Args:
        offset: (3,) the position of the root.
        box: (2, 3) the ends of the bounding box.
        angles: (b, 3) degrees.
        old: the original key frame, if any.
    """
    old_parts = [] if old is None else children(old)[1]
    excess = [part for part in old_parts if part.name == "W2KfA"][len(angles) :]
    others = [part for part in old_parts if part.name not in ("W2KfA", "W2KfOffs", "W2KfBB")]
    parts = _KEY.new_chunks((offset, box), CONTEXT)
    turns = [VECTOR.new_chunk("W2KfA", angle, CONTEXT) for angle in angles]
    return parent("W2Kf", [*parts, *turns, *excess, *others])


def encode_change(change: FileStateChange, old: Chunk | None, form: str) -> Chunk:
    """Encode a state change; dispatches keep their blending.

    Args:
        old: the original state change, whose dispatches are reused in order; or None.
        form: of the animation, which determines the form of new dispatches.
    """
    old_parts = [] if old is None else [part for part in children(old, 1)[1] if part.name in _DISPATCHES]
    others = [] if old is None else [part for part in children(old, 1)[1] if part.name not in _DISPATCHES]
    old_dispatches = [_decode_dispatch(part) for part in old_parts]
    equal = {dispatch: part for dispatch, part in zip(old_dispatches, old_parts, strict=True)}
    spare = [
        part
        for dispatch, part in zip(old_dispatches, old_parts, strict=True)
        if dispatch not in change.dispatches
    ]
    result = []
    for dispatch in change.dispatches:
        part = equal.get(dispatch)
        if part is None:
            part = _encode_dispatch(dispatch, spare.pop(0) if spare else None, form)
        result.append(part)
    return parent("W2StCh", [*result, *others], [change.state])


def _encode_dispatch(dispatch: FileDispatch, old: Chunk | None, form: str) -> Chunk:
    if old is not None:
        numbers = lebs(cursor := inside(old), _DISPATCHES[old.name])
        numbers[:4] = dispatch[:4]
        return old.with_body(b"".join(map(leb_bytes, numbers)) + old.body[cursor.offset :])
    if form == "W2Ani3":
        return parent("W2Disp2", _CURVE, [*dispatch[:4], 0, 0])
    return leaf("W2Disp", b"".join(map(leb_bytes, dispatch[:4])))


def encode_command(command: FileCommand, form: str) -> Chunk:
    """Encode a command in the form W2Cmd or W2Cmd2."""
    return parent(form, [_DEAD_SOUND], without_condition(command) if form == "W2Cmd" else command)
