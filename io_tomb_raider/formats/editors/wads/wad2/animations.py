"""Decoding and encoding of a WAD2's animations.

Positions are 32-bit floats with y pointing up, angles degrees: pitch, yaw and roll. Frame numbers are in
ticks. Chunks of later editor versions are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.finite import finite
from ....base.bytes.chunks import Chunk, children, find, inside, leb_bytes, lebs, replaced
from ....base.bytes.records import F32
from ....base.schema.chunks import NUMBER, TEXT, Together
from ...animation_files.animation import LINEAR, Blending, FileCommand, FileDispatch, FileStateChange
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
# A blending curve: its start, its end, and the handles of both.
_CURVE = Together(
    *(
        (f"W2Curve{name}", Vector(2), np.array(LINEAR[at : at + 2], F32))
        for name, at in (("Start", 0), ("End", 2), ("HStart", 4), ("HEnd", 6))
    )
)
_BLENDED, _ROOT_MOTION = "W2Ani3", "W2AniRM"  # the form with blending, and the axes of root motion
SAME_FRAME = -1  # the last frame of a dispatch's target, if it is the first one
NO_BLENDING = Blending(0, LINEAR)


class Head(NamedTuple):
    """The plain numbers of an animation."""

    state: int
    last_frame: int
    frame_rate: int
    next_animation: int
    next_frame: int


class AnimationExtras(NamedTuple):
    """The data of an animation that levels lack, as scenes show it."""

    blending: Blending = NO_BLENDING  #: into the next animation.
    root_motion: int = 0  #: flags: 1 x, 2 y, 4 z, 8 rotation about y.
    #: for each dispatch of all state changes its blending, and the last frame where its target may begin, or
    #: SAME_FRAME.
    dispatches: tuple[tuple[Blending, int], ...] = ()


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
    extras: AnimationExtras


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
        extras=_decode_extras(chunk.name, numbers, parts),
    )


def _decode_extras(form: str, numbers: Sequence[int], parts: Sequence[Chunk]) -> AnimationExtras:
    changes = (children(part, 1)[1] for part in parts if part.name == "W2StCh")
    dispatches = (each for change in changes for each in change if each.name in _DISPATCHES)
    return AnimationExtras(
        _decode_blending(numbers[-1] if form == _BLENDED else 0, parts),
        _clipped(value_in(parts, _ROOT_MOTION, NUMBER, 0)),
        tuple(map(_decode_dispatch_extras, dispatches)),
    )


def _decode_blending(frames: int, parts: Sequence[Chunk]) -> Blending:
    return Blending(_clipped(frames), tuple(finite(np.concatenate(_CURVE.values(parts, CONTEXT))).tolist()))


def _decode_dispatch_extras(chunk: Chunk) -> tuple[Blending, int]:
    if chunk.name == "W2Disp":
        return NO_BLENDING, SAME_FRAME
    numbers, parts = children(chunk, _DISPATCHES[chunk.name])
    first, last, frames = numbers[3:]
    return _decode_blending(frames, parts), SAME_FRAME if first == last else _clipped(last)


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
    curve = _CURVE.new_chunks(_points(LINEAR), CONTEXT) if form == _BLENDED else ()
    parts = [*curve, TEXT.new_chunk("W2AnmName", name, CONTEXT)]
    return parent(form, parts, (0, 0, 1, 0, 0, 0)[: _HEADS[form]])


def _points(curve: Sequence[float]) -> NDArray[np.float32]:
    return np.array(curve, F32).reshape(4, 2)


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
        if numbers[4:5] == numbers[3:4]:
            numbers[4] = dispatch.next_frame
        numbers[:4] = dispatch[:4]
        return old.with_body(b"".join(map(leb_bytes, numbers)) + old.body[cursor.offset :])
    if form == _BLENDED:
        curve = _CURVE.new_chunks(_points(LINEAR), CONTEXT)
        return parent("W2Disp2", curve, [*dispatch[:4], dispatch.next_frame, 0])
    return leaf("W2Disp", b"".join(map(leb_bytes, dispatch[:4])))


def encode_command(command: FileCommand, form: str) -> Chunk:
    """Encode a command in the form W2Cmd or W2Cmd2."""
    return parent(form, [_DEAD_SOUND], without_condition(command) if form == "W2Cmd" else command)


def with_extras(chunk: Chunk, extras: AnimationExtras) -> Chunk:
    """Return an animation with other data that levels lack. It gets today's form only if it needs that."""
    form = chunk.name
    numbers, parts = children(chunk, _HEADS[form])
    old = _decode_extras(form, numbers, parts)
    if extras == old:
        return chunk
    dispatches = iter(zip(extras.dispatches, old.dispatches, strict=False))
    parts = [_with_dispatches(part, dispatches) if part.name == "W2StCh" else part for part in parts]
    if extras.blending != old.blending:
        if form != _BLENDED:
            numbers, parts = _in_blended_form(form, numbers, parts)
            form = _BLENDED
        if extras.blending.frames != old.blending.frames:
            numbers[-1] = extras.blending.frames
        parts = _with_curve(parts, extras.blending.curve, old.blending.curve)
    if extras.root_motion != old.root_motion:
        parts = replaced(parts, NUMBER.new_chunk(_ROOT_MOTION, extras.root_motion, CONTEXT))
    return parent(form, parts, numbers)


def _in_blended_form(
    form: str, numbers: Sequence[int], parts: Sequence[Chunk]
) -> tuple[list[int], list[Chunk]]:
    """Return the numbers and chunks of an animation of an older form in today's form."""
    head = _decode_head(form, numbers)
    if form in _SPEEDS and find(parts, "W2AniV") is None:
        first, keys = _SPEEDS[form], sum(part.name == "W2Kf" for part in parts)
        ends = _velocities(numbers[first : first + 4], max(keys - 1, 0) * head.frame_rate)
        parts = [*parts, _ENDS.new_chunk("W2AniV", ends, CONTEXT)]
    return [*head, 0], list(parts)


def _with_curve(parts: list[Chunk], curve: Sequence[float], old: Sequence[float]) -> list[Chunk]:
    """Return the chunks of an animation or a dispatch with another blending curve, which precedes them."""
    if tuple(curve) == tuple(old):
        return parts
    names = {name for name, _, _ in _CURVE.parts}
    return [
        *_CURVE.new_chunks(_points(curve), CONTEXT),
        *(part for part in parts if part.name not in names),
    ]


_DispatchExtras = tuple[Blending, int]


def _with_dispatches(chunk: Chunk, extras: Iterator[tuple[_DispatchExtras, _DispatchExtras]]) -> Chunk:
    """Return a state change with other blending of its dispatches: the next ones, each new and old."""
    (state,), parts = children(chunk, 1)
    result = []
    for part in parts:
        pair = next(extras, None) if part.name in _DISPATCHES else None
        result.append(part if pair is None or pair[0] == pair[1] else _blended(part, *pair))
    return chunk if result == parts else parent(chunk.name, result, [state])


def _blended(part: Chunk, new: _DispatchExtras, old: _DispatchExtras) -> Chunk:
    numbers, parts = (
        children(part, _DISPATCHES[part.name])
        if part.name != "W2Disp"
        else (
            [*lebs(inside(part), 4), 0, 0],
            [],
        )
    )
    (blending, last), (old_blending, old_last) = new, old
    if last != old_last or part.name == "W2Disp":
        numbers[4] = numbers[3] if last == SAME_FRAME else last
    if blending.frames != old_blending.frames:
        numbers[5] = blending.frames
    curve = old_blending.curve if part.name != "W2Disp" else ()
    return parent("W2Disp2", _with_curve(parts, blending.curve, curve), numbers)
