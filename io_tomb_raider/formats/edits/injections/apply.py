"""Injections baked into a level: its own data is changed as the engine would, and the records disappear."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...base.bytes.records import CINEMATIC_FRAME
from ...base.errors import ExportError, FormatError
from ...base.messages import T, as_message
from ...base.schema.fields import Record
from ...levels.injections.convert import names_symbol
from ...levels.injections.kinds import BlockId
from ...levels.injections.sounds import has_waves
from ...levels.injections.trxj import Injection, TrxjBlock
from ...levels.level.level import Level
from ...levels.sounds.details import SAMPLES, TRX_RANGE
from ...levels.sounds.samples import SampleStorage, replace_samples, sample_count, sample_storage
from ...levels.textures.animated import decode_animated, encode_animated
from .apply_data import apply_data, give_slots
from .apply_floor import apply_floor_edit
from .apply_rooms import apply_portal_edit, apply_room_edit
from .baking import FACES, Baking, NotAppliedError, check_number, engine_only
from .edits import (
    LEVEL_DATA,
    NEW_DATA,
    Edit,
    drop_level_data,
    edits_of,
    is_shown,
    new_items,
    tagged,
    without,
)

_NO_COLLISION, _DRAWN = 1, 2  # flags of static meshes
_HEAD_WORDS = 9  # of key frames, before the rotations
_SINGLE_AXIS = 0x4000


class Problem(NamedTuple):
    """An edit that was not applied."""

    edit: Edit  #: the edit, as :func:`.edits.edits_of` describes it.
    text: str  #: the reason.


class InjectedLevel(NamedTuple):
    """A level with the edits of an injection."""

    level: Level  #: the level. Its own block is unchanged.
    #: what was not applied: the edits of ``problems``, and properties of sectors, rooms and entities,
    #: pictures and sounds that only the block of a level can hold.
    left: Injection
    problems: list[Problem]  #: the edits that the level cannot hold.
    number: int  #: the number of applied edits.
    slots: dict[str, int]  #: the slots of models and sprites that have names instead, by name.


def apply_injection(injection: Injection, level: Level) -> InjectedLevel:
    """Bake an injection into a level. Tests are not evaluated, see :func:`failed_tests`.

    Raises:
        FormatError: if a part of the level that is edited is damaged.
        ExportError: if a part of the level no longer fits its file.
    """
    with np.errstate(over="ignore"):  # numbers of the engine wrap around
        return _Application(injection, level).run()


class _Application:
    """One run of :func:`apply_injection`."""

    def __init__(self, injection: Injection, level: Level) -> None:
        self.injection = injection
        self.marked = tagged(injection)
        self.edits = {edit.key: edit for edit in edits_of(self.marked)}
        self.slots = give_slots(self.marked, level)
        self.items = len(level.entities)
        self.baking = Baking(level)
        self.problems: dict[str, str] = {}
        self.done: set[int] = set()  # ids of records of level data that the level itself can hold

    def run(self) -> InjectedLevel:
        marked, edits = self.marked, self.edits
        if any(block.type in NEW_DATA for block in marked.blocks):
            self._try("data", apply_data, self.baking, marked)
            if "data" in self.problems:  # no slots for models that are not there
                marked, self.slots = tagged(self.injection), {}
        for block in marked.blocks:
            self._block(block)
        drop_level_data(marked, lambda record: id(record) in self.done)
        left = without(marked, edits.keys() - self.problems.keys())
        _name_new_items(left, marked, self.items)
        level = self.baking.finish()
        problems = [Problem(edits[key], text) for key, text in self.problems.items()]
        return InjectedLevel(level, left, problems, len(edits) - len(problems), self.slots)

    def _block(self, block: TrxjBlock) -> None:
        if block.type == BlockId.FLOOR:
            for record in block.records:
                for edit in record["edits"]:
                    self._floor_edit(record, edit)
        elif block.type not in NEW_DATA and block.content is not None:
            content = np.frombuffer(block.content, np.uint8)
            self._try(f"{block.type}.0", _WHOLE.get(block.type, _engine_only), self.baking, content)
        elif block.type not in NEW_DATA and block.type != BlockId.ROOM_SIZES:
            for record in block.records:
                is_unbound = names_symbol(record) or (block.type == BlockId.SYMBOLS and not self.slots)
                handler = _engine_only if is_unbound else _KINDS.get(block.type, _engine_only)
                if not is_shown(block.type, record):
                    self._try(record["edit"], handler, self.baking, record)
                elif _is_native(handler, self.baking, record):
                    self.done.add(id(record))

    def _floor_edit(self, record: Record, edit: Record) -> None:
        if edit["type"] not in LEVEL_DATA:
            handler = _engine_only if names_symbol(edit) else apply_floor_edit
            self._try(edit["edit"], handler, self.baking, record, edit)
        elif _is_native(apply_floor_edit, self.baking, record, edit):
            self.done.add(id(edit))

    def _try(self, key: str, run: Callable[..., None], *arguments: Any) -> None:
        try:
            run(*arguments)
        except NotAppliedError as error:
            self.problems[key] = error.text
        except (ExportError, FormatError) as error:
            self.problems[key] = as_message(str(error))
        except OverflowError:
            self.problems[key] = T("a number does not fit the level")


def _is_native(run: Callable[..., None], *arguments: Any) -> bool:
    """Apply data that the level's block can hold, too. Return whether the level itself holds it exactly."""
    try:
        run(*arguments)
    except (NotAppliedError, ExportError, FormatError, OverflowError):
        return False
    return True


def _name_new_items(left: Injection, injection: Injection, count: int) -> None:
    """Keep the names of entities that were added."""
    left_keys = {record["edit"] for record in new_items(left)}
    added = [item for item in new_items(injection) if item["edit"] not in left_keys]
    records = [
        {"item": count + number, "name": item["name"]}
        for number, item in enumerate(added)
        if item.get("name")
    ]
    if records:
        left.upgrade(_WITH_NAMES)
        left.replace(BlockId.ITEM_NAMES, [*left.records(BlockId.ITEM_NAMES), *records])


_WITH_NAMES = 9


def _engine_only(*_: Any) -> None:
    raise engine_only()


def _item(baking: Baking, record: Record) -> int:
    return baking.row("entities", record["item"], T("entity"))


def _item_position(baking: Baking, record: Record) -> None:
    row = _item(baking, record)
    baking.room(record["room"])
    items = baking.own(baking.level, "entities")
    for name in ("x", "y", "z", "room", "angle"):
        items[name][row] = record[name]


def _item_flags(baking: Baking, record: Record) -> None:
    row = _item(baking, record)
    type_ = int(baking.level.entities["type"][row])
    if type_ != record["object"]["id"]:
        raise NotAppliedError(
            T("the entity has type {found}, not {wanted}", found=type_, wanted=record["object"]["id"])
        )
    baking.own(baking.level, "entities")["flags"][row] = record["flags"]


def _camera(baking: Baking, record: Record) -> None:
    row = baking.row("cameras", record["camera"], T("camera"))
    baking.room(record["room"])
    cameras = baking.own(baking.level, "cameras")
    for name in ("x", "y", "z", "room", "flags"):
        cameras[name][row] = record[name]


def _page(baking: Baking, record: Record) -> None:
    pages = baking.pages
    x, y, width, height = (record[name] for name in ("x", "y", "width", "height"))
    check_number(record["page"], len(pages), T("texture page"))
    if x + width > 256 or y + height > 256:
        raise NotAppliedError(T("its picture is larger than a page"))
    pixels = np.frombuffer(record["pixels"], np.uint8).reshape(height, width, 4)
    pages[record["page"], y : y + height, x : x + width] = pixels
    if not baking.holds_colors(pixels):
        raise NotAppliedError(T("the game rounds its colors"))


def _sound(baking: Baking, record: Record) -> None:
    level = baking.level
    if sample_storage(level) is not SampleStorage.BLOCK or not has_waves(record):
        raise NotAppliedError(T("the level's own sounds are in MAIN.SFX, so it stays an edit"))
    if record.get("pitch", 0) or record.get("range", TRX_RANGE) != TRX_RANGE:
        raise NotAppliedError(T("the original game cannot hold it, so it stays an edit"))
    number = baking.row("sound_map", record["sound"], T("sound"))
    count = sample_count(level)
    replace_samples(level, [*range(count), *record["waves"]])
    row = len(level.sound_details)
    baking.append(
        level,
        "sound_details",
        sample=count,
        volume=record["volume"],
        chance=record["chance"],
        flags=SAMPLES.put(record["flags"], len(record["waves"])),
    )
    baking.own(level, "sound_map")[number] = row


def _mesh(baking: Baking, record: Record) -> None:
    model = baking.model(record["object"])
    pointer = _pointer(model, record["mesh"])
    mesh = replace(baking.mesh(pointer))
    if any(effect["effects"] or effect["reflective"] for effect in record.get("effects", ())):
        raise NotAppliedError(T("meshes of the original game have no such effects, so it stays an edit"))
    mesh.center, mesh.radius = (*record["center"],), record["radius"]
    vertices = mesh.vertices.copy()
    for move in record["vertices"]:
        number = move["vertex"]
        if not 0 <= number < len(vertices):
            raise NotAppliedError(T("the mesh has no {what} {number}", what=T("vertex"), number=number))
        vertices[move["vertex"]] += np.array([move[axis] for axis in "xyz"], np.int16)
    mesh.vertices = vertices
    for face in record["faces"]:
        _mesh_face(baking, mesh, face)
    baking.set_mesh(pointer, mesh)


def _mesh_face(baking: Baking, mesh: Any, face: Record) -> None:
    if not 0 <= face["face_type"] < len(FACES):
        raise NotAppliedError(T("its type of faces is unknown"))
    name = FACES[face["face_type"]]
    if face["source_mesh"] < 0:
        word = -face["source_mesh"]
    else:
        source = baking.mesh(_pointer(baking.model(face["source"]), face["source_mesh"]))
        faces = getattr(source, name)
        if not 0 <= face["source_face"] < len(faces):
            raise NotAppliedError(
                T("the mesh has no {what} {number}", what=T("face"), number=face["source_face"])
            )
        word = int(faces["texture"][face["source_face"]])
    targets = np.array(face["targets"], np.int64)
    new_faces = getattr(mesh, name).copy()
    if len(targets) and not 0 <= targets.min() <= targets.max() < len(new_faces):
        raise NotAppliedError(T("the mesh has no {what} {number}", what=T("face"), number=int(targets.max())))
    new_faces["texture"][targets] = word
    setattr(mesh, name, new_faces)


def _pointer(model: Any, number: int) -> int:
    if not 0 <= number < int(model["meshes"]):
        raise NotAppliedError(T("model {id} has no mesh {number}", id=int(model["id"]), number=number))
    return int(model["first_mesh"]) + number


def _static_mesh(baking: Baking, record: Record) -> None:
    rows = np.flatnonzero(baking.level.static_meshes["id"] == record["id"])
    if not len(rows):
        raise NotAppliedError(
            T("the level has no {what} {number}", what=T("static mesh"), number=record["id"])
        )
    records = baking.own(baking.level, "static_meshes")
    flags = int(records["flags"][rows[0]]) & ~(_NO_COLLISION | _DRAWN)
    flags |= (0 if record["solid"] else _NO_COLLISION) | (_DRAWN if record["visible"] else 0)
    records["flags"][rows[0]] = flags
    records["collision_box"][rows[0]] = record["collision_box"]
    records["visibility_box"][rows[0]] = record["visibility_box"]


def _commands(baking: Baking, record: Record) -> None:
    row = baking.animation(record["object"], record["animation"])
    baking.own(baking.level, "animations")["commands"][row] = record["commands"]


def _speed(baking: Baking, record: Record) -> None:
    row = baking.animation(record["object"], record["animation"])
    baking.own(baking.level, "animations")["speed"][row] = record["speed"]


def _frame_start(baking: Baking, reference: Record, animation: int) -> int:
    row = baking.animation(reference, animation)
    start = int(baking.level.animations["frame_offset"][row]) // 2
    if start + _HEAD_WORDS + 3 > len(baking.level.frames):
        raise NotAppliedError(T("its key frames are missing"))
    return start


def _rotation(baking: Baking, record: Record) -> None:
    start = _frame_start(baking, record["object"], record["animation"]) + _HEAD_WORDS
    frames = baking.own(baking.level, "frames")
    high, low = record["rotation"] >> 16, record["rotation"] & 0xFFFF
    if not baking.level.game.traits.has_packed_frames:
        frames[start + 1 : start + 3] = low, high
        return
    if frames[start] >= _SINGLE_AXIS:
        raise NotAppliedError(T("its key frame stores the angle of one axis only, so it stays an edit"))
    frames[start : start + 2] = high, low


def _frames(baking: Baking, record: Record) -> None:
    for edit in record["frames"]:
        start = _frame_start(baking, record["object"], edit["animation"])
        frames = baking.own(baking.level, "frames")
        offsets = baking.level.animations["frame_offset"].astype(np.int64)
        starts = np.unique(np.append(offsets // 2, len(frames)))
        size = int(starts[np.searchsorted(starts, start, side="right")]) - start
        if len(edit["words"]) != size:
            raise NotAppliedError(T("its key frames have another size, so it stays an edit"))
        frames[start : start + size] = edit["words"]


def _sprite_edges(baking: Baking, record: Record) -> None:
    level = baking.level
    rows = np.flatnonzero(level.sprite_sequences["id"] == record["object"]["id"])
    if not len(rows):
        raise NotAppliedError(
            T("the level has no {what} {number}", what=T("sprite"), number=record["object"]["id"])
        )
    row = baking.row("sprite_textures", int(level.sprite_sequences["first"][rows[0]]), T("sprite picture"))
    sprites = baking.own(level, "sprite_textures")
    for name, value in zip(("left", "top", "right", "bottom"), record["edges"], strict=True):
        sprites[name][row] = value


def _animated(baking: Baking, record: Record) -> None:
    level = baking.level
    groups = [list(group) for group in decode_animated(level.animated_textures).groups]
    number = record.get("range", len(groups))  # of added ones: the next
    check_number(number, len(groups) + ("range" not in record), T("animated texture"))
    if not record["textures"] or max(record["textures"]) >= len(level.object_textures):
        raise NotAppliedError(T("the level lacks one of its textures"))
    groups[number : number + 1] = [record["textures"]]
    baking.put(level, "animated_textures", encode_animated(groups, level.animated_textures))


def _cinematic(baking: Baking, content: Any) -> None:
    if len(content) % CINEMATIC_FRAME.itemsize or not baking.level.has("cinematic_frames"):
        raise NotAppliedError(T("its records have the form of another game"))
    baking.put(baking.level, "cinematic_frames", content.view(CINEMATIC_FRAME))


def _demo(baking: Baking, content: Any) -> None:
    baking.put(baking.level, "demo_data", content)


# By type of blocks that are kept as bytes.
_WHOLE: Mapping[int, Callable[[Baking, Any], None]] = {
    BlockId.CINEMATIC_FRAMES: _cinematic,
    BlockId.DEMO: _demo,
}


def _symbol(_baking: Baking, record: Record) -> None:
    if record["context"] != 0:
        raise engine_only()
    # Names of models are replaced by slots before.


_KINDS: Mapping[int, Callable[[Baking, Record], None]] = {
    BlockId.SOUNDS: _sound,
    BlockId.ITEM_POSITIONS: _item_position,
    BlockId.MESH_EDITS: _mesh,
    BlockId.PAGE_EDITS: _page,
    BlockId.ROOM_EDITS: apply_room_edit,
    BlockId.PORTAL_EDITS: apply_portal_edit,
    BlockId.CAMERA_EDITS: _camera,
    BlockId.FRAME_ROTATIONS: _rotation,
    BlockId.STATIC_MESH_EDITS: _static_mesh,
    BlockId.COMMAND_COUNTS: _commands,
    BlockId.SPRITE_EDGES: _sprite_edges,
    BlockId.FRAME_EDITS: _frames,
    BlockId.ITEM_FLAGS: _item_flags,
    BlockId.ANIMATION_SPEEDS: _speed,
    BlockId.ANIMATED_TEXTURES: _animated,
    BlockId.ADDED_RANGES: _animated,
    BlockId.SYMBOLS: _symbol,
}
