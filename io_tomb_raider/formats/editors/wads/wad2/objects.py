"""Decoding and encoding of a WAD2's moveables and static meshes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.finite import slot_number
from ....base.bytes.chunks import Chunk, children, find, inside, replaced
from ....base.errors import FormatError
from ....base.schema.chunks import NUMBER, TEXT, Part, Record, Together
from ....base.schema.codes import LEB, STRING
from ....base.schema.forms import Form
from .animations import ANIMATION_FORMS, Wad2Animation, decode_animation
from .chunks import BOX, CONTEXT, NO_BOX, ORIGIN, VECTOR, parent, value_in
from .meshes import Wad2Mesh, decode_mesh
from .skins import SKIN, skin_of

# As for levels; in the form of 2018, bones are nested in their parents.
_MOST_BONES = 1024
_MOST_DEPTH = 128
PUSH, POP = 2, 1


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone."""

    #: 0 the parent is the bone before, 1 it is popped from a stack, 2 the parent is pushed to the stack, 3 it
    #: is the top of the stack, which stays.
    operation: int
    name: str  #: its name in WadTool.
    offset: NDArray[np.float32]  #: (3,) float32, from its parent.
    mesh: int  #: the number of its mesh in the moveable.
    source: Chunk | None = None  #: its original chunk; None in the nested form of 2018.


@dataclass(frozen=True, eq=False)
class Wad2Moveable:
    """A moveable, the model of levels."""

    parts: Sequence[Chunk]  #: its chunks.
    id: int  #: its slot.
    meshes: Sequence[Wad2Mesh]
    bones: Sequence[Bone]  #: its bones, each with a mesh.
    animations: Sequence[Wad2Animation]
    skin: Wad2Mesh | None = None

    @property
    def bone_meshes(self) -> list[int]:
        """The number of each bone's mesh; without bones there is one for each mesh."""
        if not self.bones:
            return list(range(len(self.meshes)))
        return [bone.mesh for bone in self.bones]


def decode_moveable(chunk: Chunk, element: int = 0) -> Wad2Moveable:
    """Decode a ``W2Moveable``.

    Raises:
        FormatError: if it is damaged.
    """
    (slot,), parts = children(chunk, 1)
    meshes = [decode_mesh(part) for part in parts if part.name == "W2Mesh"]
    bones = [_BONE.read(part, CONTEXT) for part in parts if part.name == _BONE.chunk]
    for part in parts:
        if part.name == "W2Bone":
            bones += _decode_nested(part, 0, 0)
    if len(bones) > _MOST_BONES:
        raise FormatError("W2Moveable", f"at most {_MOST_BONES} bones", str(len(bones)), element=element)
    missing = next((bone.mesh for bone in bones if not 0 <= bone.mesh < len(meshes)), None)
    if missing is not None:
        expected = f"one of {len(meshes)} meshes for each bone"
        raise FormatError("W2Moveable", expected, str(missing), element=element)
    count = len(bones) or len(meshes)
    animations = [decode_animation(part, count) for part in parts if part.name in ANIMATION_FORMS]
    return Wad2Moveable(parts, slot_number(slot), meshes, bones, animations, skin_of(parts))


def _mask_operation(values: dict[str, Any]) -> None:
    values["operation"] &= PUSH | POP


_BONE = Form(
    "W2Bone2",
    Bone,
    (("operation", LEB), ("name", STRING)),
    Record(
        Bone,
        (Part("W2BoneTrans", "offset", VECTOR), Part("W2BoneMesh", "mesh", NUMBER)),
        {"offset": ORIGIN, "mesh": 0},
    ),
    _mask_operation,
)


def _decode_nested(chunk: Chunk, operation: int, depth: int) -> list[Bone]:
    """Decode a bone with its nested child bones, depth first."""
    _, parts = children(chunk)
    if depth > _MOST_DEPTH:
        raise inside(chunk).error(f"bones that hang at most {_MOST_DEPTH} deep", "more")
    offset = value_in(parts, "W2BoneTrans", VECTOR, ORIGIN) if depth else ORIGIN
    mesh = value_in(parts, "W2BoneMesh", NUMBER, 0)
    result = [Bone(operation, value_in(parts, "W2BoneName", TEXT, ""), offset, mesh)]
    inner = [part for part in parts if part.name == "W2Bone"]
    for number, part in enumerate(inner):
        flags = (PUSH if number + 1 < len(inner) else 0) | (POP if number else 0)
        result += _decode_nested(part, flags, depth + 1)
        if len(result) > _MOST_BONES:
            break
    return result


def encode_bone(bone: Bone) -> Chunk:
    """Encode a bone in the current form, keeping other data of its old chunk."""
    if bone.source is None:
        return _BONE.new_chunk(bone, CONTEXT)
    return _BONE.changed(bone, bone.source, CONTEXT)


def encode_moveable(
    old: Wad2Moveable,
    slot: int,
    meshes: Sequence[Chunk],
    bones: Sequence[Chunk],
    animations: Sequence[Chunk],
    skin: Sequence[Chunk],
) -> Chunk:
    """Encode a moveable, keeping other data of the old one, such as properties."""
    replaced_names = ("W2Mesh", "W2Bone", "W2Bone2", *ANIMATION_FORMS)
    first = next(
        (index for index, part in enumerate(old.parts) if part.name in replaced_names), len(old.parts)
    )
    before = [part for part in old.parts[:first] if part.name != SKIN]
    after = [part for part in old.parts[first:] if part.name not in (*replaced_names, SKIN)]
    return parent("W2Moveable", [*before, *meshes, *skin, *bones, *animations, *after], [slot])


# --- Static meshes -----------------------------------------------------------------------------

STATIC_FIELDS = {"W2Static2": 2, "W2Static": 3}  # slot, flags, and formerly the light type of the mesh
STATIC_FORMS = tuple(STATIC_FIELDS)


@dataclass(frozen=True, eq=False)
class Wad2Static:
    """A static mesh."""

    chunk: Chunk  #: its original chunk.
    id: int  #: its slot.
    flags: int  #: as in levels of TR4.
    mesh: Wad2Mesh | None
    #: (2, 2, 3) float32, the ends of its visibility box, then of its collision box.
    boxes: NDArray[np.float32]


def decode_static(chunk: Chunk) -> Wad2Static:
    """Decode a static mesh in either of its forms.

    Raises:
        FormatError: if it is damaged.
    """
    numbers, parts = children(chunk, STATIC_FIELDS[chunk.name])
    mesh = find(parts, "W2Mesh")
    boxes = np.array(_BOXES.values(parts, CONTEXT))
    decoded = None if mesh is None else decode_mesh(mesh)
    if decoded is not None and len(numbers) > 2:
        decoded = replace(decoded, light_type=numbers[2])
    return Wad2Static(chunk, slot_number(numbers[0]), numbers[1], decoded, boxes)


_BOXES = Together(("W2StaticVB", BOX, NO_BOX), ("W2StaticCB", BOX, NO_BOX))


def encode_static(
    old: Wad2Static, slot: int, flags: int, mesh: Chunk, light_type: int, boxes: NDArray[np.float32]
) -> Chunk:
    """Encode a static mesh in the form of the old one, keeping its other data."""
    numbers, parts = children(old.chunk, STATIC_FIELDS[old.chunk.name])
    parts = replaced(parts, mesh, [part.name for part in parts])
    for box in _BOXES.new_chunks(boxes, CONTEXT):
        parts = replaced(parts, box)
    return parent(old.chunk.name, parts, [slot, flags, light_type][: len(numbers)])


def new_static() -> Wad2Static:
    """Return an empty static mesh in the current form."""
    parts = [
        NUMBER.new_chunk("W2StaticAmbientLight", 128, CONTEXT),
        Chunk("W2StaticShatter", b"\0", b"\x0fW2StaticShatter\x01"),
        NUMBER.new_chunk("W2StaticShatterSound", -1, CONTEXT),
    ]
    return Wad2Static(parent("W2Static2", parts, (0, 0)), 0, 0, None, np.array([NO_BOX, NO_BOX]))
