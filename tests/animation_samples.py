"""Single animations as files, written by hand as the programs of level builders write them."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

Vector = tuple[float, float, float]


def _spelled(value: object) -> str:
    """Return a number as .NET spells it."""
    return f"{value:.7g}".replace("e", "E") if isinstance(value, float) else str(value)


def _xyz(values: Sequence[object], indent: int) -> str:
    pad = " " * indent
    return "\n".join(
        f"{pad}<{axis}>{value}</{axis}>" for axis, value in zip("XYZ", map(_spelled, values), strict=True)
    )


def anim_key(offset: Sequence[object], angles: Sequence[Sequence[object]], size: int = 100) -> str:
    """Return a key frame of an .anim. Its box has the signs of y changed without being swapped."""
    rotations = "\n".join(
        f"""                <WadKeyFrameRotation>
                    <Rotations>
{_xyz(each, 24)}
                    </Rotations>
                </WadKeyFrameRotation>"""
        for each in angles
    )
    return f"""        <WadKeyFrame>
            <BoundingBox>
                <Minimum>
{_xyz((-size, 2 * size, -size), 20)}
                </Minimum>
                <Maximum>
{_xyz((size, 0, size), 20)}
                </Maximum>
            </BoundingBox>
            <Offset>
{_xyz(offset, 16)}
            </Offset>
            <Angles>
{rotations}
            </Angles>
        </WadKeyFrame>"""


def anim_dispatch(low: int, high: int, following: int, frame: int) -> str:
    """Return a dispatch of an .anim."""
    return f"""                <WadAnimDispatch>
                    <InFrame>{low}</InFrame>
                    <OutFrame>{high}</OutFrame>
                    <NextAnimation>{following}</NextAnimation>
                    <NextFrame>{frame}</NextFrame>
                </WadAnimDispatch>"""


def anim_change(state: int, *dispatches: str) -> str:
    """Return a state change of an .anim."""
    rows = "\n".join(dispatches)
    return f"""        <WadStateChange>
            <StateId>{state}</StateId>
            <Dispatches>
{rows}
            </Dispatches>
        </WadStateChange>"""


def anim_command(kind: str, *parameters: int) -> str:
    """Return a command of an .anim."""
    values = (*parameters, 0, 0, 0)[:3]
    rows = "\n".join(
        f"            <Parameter{place}>{value}</Parameter{place}>"
        for place, value in enumerate(values, start=1)
    )
    return f"""        <WadAnimCommand>
            <Type>{kind}</Type>
{rows}
        </WadAnimCommand>"""


def _list(tag: str, items: Sequence[str]) -> str:
    if not items:
        return f"    <{tag} />"
    rows = "\n".join(items)
    return f"    <{tag}>\n{rows}\n    </{tag}>"


def anim_text(
    keys: Sequence[str],
    *,
    name: str = "WALK",
    rate: int = 2,
    state: int = 1,
    last: int | None = None,
    following: tuple[int, int] = (0, 0),
    speeds: Sequence[object] = (0, 0, 0, 0),
    changes: Sequence[str] = (),
    commands: Sequence[str] = (),
) -> str:
    """Return an .anim as WadTool writes it."""
    names = ("StartVelocity", "EndVelocity", "StartLateralVelocity", "EndLateralVelocity")
    velocities = "\n".join(f"    <{tag}>{value}</{tag}>" for tag, value in zip(names, speeds, strict=True))
    last = rate * max(len(keys) - 1, 0) if last is None else last
    schema = "http://www.w3.org/2001/XMLSchema"
    return f"""<?xml version="1.0" encoding="utf-16"?>
<WadAnimation xmlns:xsi="{schema}-instance" xmlns:xsd="{schema}">
    <FrameRate>{rate}</FrameRate>
    <StateId>{state}</StateId>
    <EndFrame>{last}</EndFrame>
    <NextAnimation>{following[0]}</NextAnimation>
    <NextFrame>{following[1]}</NextFrame>
    <Name>{name}</Name>
{velocities}
{_list("KeyFrames", keys)}
{_list("StateChanges", changes)}
{_list("AnimCommands", commands)}
</WadAnimation>"""


def anim_file(bones: int = 2, keys: int = 3, **options: object) -> bytes:
    """Return an .anim with fractions, of a model with some bones."""
    frames = [
        anim_key(
            (-8.25, 400 + 2 * number, 10.5 * number),
            [(3.5156245 * (bone + 1) % 360, 0.3515625 * number, 358.9453) for bone in range(bones)],
        )
        for number in range(keys)
    ]
    return anim_text(frames, **options).encode()  # type: ignore[arg-type]


def trw_file(
    keys: Sequence[tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]] | None = None,
    *,
    version: int = 190,
    dispatches: Sequence[tuple[int, int, int, int]] = ((0, 4, -1, 2),),
) -> bytes:
    """Return a .trw: speed 3, acceleration -0.25, sideways 0.5, rate 2, state 7, a sound and a change.

    Args:
        keys: box, offset and angles in 1/1024 turns of each; by default two keys of two bones.
        version: of the format.
        dispatches: of its one state change, to state 5.
    """
    if keys is None:
        keys = [
            ((-10, 10, -20, 0, -30, 30), (0, -100, 4), ((256, 0, 1023), (0, 0, 512))),
            ((-10, 10, -21, 0, -30, 30), (1, -99, 5), ((256, 10, 1023), (0, 0, 511))),
        ]
    bones = len(keys[0][2]) if keys else 0
    words, last = 10 + 2 * bones, 2 * max(len(keys) - 1, 0)
    head = pack("<IIIBBHiiii", version, 5, 0, 2, words, 7, 3 << 16, -(1 << 14), 1 << 15, 0)
    head += pack("<HHhHHHHHi", 0, last, -2, 1, 1, 0, 1, 0, -1)
    commands = pack("<HHhhh", 1, 5, 3, 17, 2)
    counts = pack("<III", words * len(keys), last + 1, len(keys))
    frames = b"".join(
        pack("<6h3hH", *box, *offset, len(angles)) + b"".join(pack("<3h", *each) for each in angles)
        for box, offset, angles in keys
    )
    rows = b"".join(pack("<HHhH", *each) for each in dispatches)
    change = pack("<HHH", 5, len(dispatches), 0) + bytes(10) + rows + bytes(10 + 4 * len(dispatches))
    return head + commands + counts + frames + change
