"""Insertion of one moveable or one animation into a WAD2; everything else keeps its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.bytes.chunks import Chunk, children
from ....base.errors import ExportError
from ....base.messages import T
from .animations import (
    Wad2Animation,
    decode_animation,
    encode_animation,
    new_animation,
    pieces_of,
    with_extras,
)
from .chunks import parent
from .meshes import Wad2Mesh, decode_mesh, encode_mesh
from .objects import Wad2Moveable, decode_moveable, encode_moveable
from .skins import SKIN
from .wad2 import Wad2

_MOVEABLES, _TEXTURES = "W2Moveables", "W2Textures"
_MESHES = ("W2Mesh", SKIN)


class AnimationPlace(NamedTuple):
    """The slot of a moveable, and the number of one of its animations."""

    slot: int  #: of the moveable.
    number: int = -1  #: of the animation, or -1.


def put_moveable(target: Wad2, source: Wad2, slot: int, to: int) -> Wad2:
    """Return a file with a moveable of another one, replacing the one in that slot.

    Textures that the file already has are reused.

    Args:
        slot: of the moveable there.
        to: its slot in the file.

    Raises:
        ExportError: if there is no such moveable.
        FormatError: if one of the files is damaged.
    """
    moveable = _moveable(source, slot)
    textures = _Textures(target, source)
    parts = [textures.moved(part) if part.name in _MESHES else part for part in moveable.parts]
    copied = _rebuilt(replace(moveable, parts=parts), to, [each.chunk for each in moveable.animations])
    result = replace(target, chunks=list(target.chunks))
    result.put(_TEXTURES, textures.all)
    others = [part for part in target.listed(_MOVEABLES) if _slot(part) != to]
    result.put(_MOVEABLES, sorted([*others, copied], key=_slot))
    return result


def put_animation(target: Wad2, source: Wad2, what: AnimationPlace, to: AnimationPlace) -> tuple[Wad2, int]:
    """Return a file with an animation of another one, and its number there.

    A replaced animation keeps its name, its next animation and state changes, which refer to the same file. A
    number out of range appends a new one.

    Args:
        what: the animation there.
        to: its place in the file.

    Raises:
        ExportError: if there is no such animation or moveable, or their bones are not the same.
        FormatError: if one of the files is damaged.
    """
    source_moveable, moveable = _moveable(source, what.slot), _moveable(target, to.slot)
    animation = source_moveable.animations[what.number]
    bones = [len(each.bone_meshes) for each in (source_moveable, moveable)]
    if bones[0] != bones[1]:
        problem = T(
            "the animation has {bones} bones, and the model in the file has {others}",
            bones=bones[0],
            others=bones[1],
        )
        raise ExportError(animation.name or T("animation {number}", number=what.number), problem)
    chunks = [each.chunk for each in moveable.animations]
    number = to.number if 0 <= to.number < len(chunks) else len(chunks)
    if number < len(chunks):
        chunks[number] = _in_place(animation, moveable.animations[number])
    else:
        chunks.append(_as_new(animation, number, bones[0]))
    rebuilt = _rebuilt(moveable, moveable.id, chunks)
    result = replace(target, chunks=list(target.chunks))
    parts = [rebuilt if _slot(part) == to.slot else part for part in target.listed(_MOVEABLES)]
    result.put(_MOVEABLES, parts)
    return result, number


def _in_place(new: Wad2Animation, old: Wad2Animation) -> Chunk:
    """Return an old animation with the movement of a new one."""
    head = old.head._replace(
        state=new.head.state, last_frame=new.head.last_frame, frame_rate=new.head.frame_rate
    )
    keys, commands = pieces_of(new, "W2Kf"), pieces_of(new, "W2Cmd", "W2Cmd2")
    return encode_animation(old, head, keys, new.velocities, pieces_of(old, "W2StCh"), commands)


def _as_new(new: Wad2Animation, number: int, bones: int) -> Chunk:
    """Return a new animation, which repeats."""
    form = new.chunk.name if new.chunk.name == "W2Ani3" else "W2Ani2"
    empty = decode_animation(new_animation(form, new.name), bones)
    head = new.head._replace(next_animation=number, next_frame=0)
    keys, commands = pieces_of(new, "W2Kf"), pieces_of(new, "W2Cmd", "W2Cmd2")
    chunk = encode_animation(empty, head, keys, new.velocities, (), commands)
    return with_extras(chunk, new.extras._replace(dispatches=()))


def _moveable(wad2: Wad2, slot: int) -> Wad2Moveable:
    part = next((part for part in wad2.listed(_MOVEABLES) if _slot(part) == slot), None)
    if part is None:
        raise ExportError(T("model {number}", number=slot), T("the file has no model of this number"))
    return decode_moveable(part)


def _slot(part: Chunk) -> int:
    return children(part, 1)[0][0] if part.name == "W2Moveable" else -1


def _rebuilt(moveable: Wad2Moveable, slot: int, animations: Sequence[Chunk]) -> Chunk:
    skeleton = [part for part in moveable.parts if part.name in ("W2Bone", "W2Bone2")]
    meshes = [part for part in moveable.parts if part.name == "W2Mesh"]
    skin = [part for part in moveable.parts if part.name == SKIN]
    return encode_moveable(moveable, slot, meshes, skeleton, animations, skin)


class _Textures:
    """The textures of a file, extended by those of imported meshes."""

    def __init__(self, target: Wad2, source: Wad2) -> None:
        self.all = target.listed(_TEXTURES)  #: all textures, new ones last.
        self._from = [part for part in source.listed(_TEXTURES) if part.name == "W2Txt"]
        textures = [part for part in self.all if part.name == "W2Txt"]
        self._count = len(textures)
        self._known = {part.body: number for number, part in reversed(list(enumerate(textures)))}

    def moved(self, part: Chunk) -> Chunk:
        """Return a mesh, or a skin around one, with the new texture numbers in its polygons."""
        if part.name != "W2Mesh":
            inner = (self.moved(each) if each.name == "W2Mesh" else each for each in children(part)[1])
            return parent(part.name, inner)
        mesh = decode_mesh(part)
        used = np.unique(mesh.polygons["texture"]).tolist()
        numbers = {number: self._number(number) for number in used}
        if all(number == new for number, new in numbers.items()):
            return part
        return encode_mesh(_with_textures(mesh, numbers), mesh)

    def _number(self, number: int) -> int:
        if not 0 <= number < len(self._from):
            return number
        chunk = self._from[number]
        if chunk.body not in self._known:
            self._known[chunk.body] = self._count
            self._count += 1
            self.all.append(chunk)
        return self._known[chunk.body]


def _with_textures(mesh: Wad2Mesh, numbers: dict[int, int]) -> Wad2Mesh:
    polygons = mesh.polygons.copy()
    for number, new in numbers.items():
        polygons["texture"][mesh.polygons["texture"] == number] = new
    return replace(mesh, polygons=polygons)
