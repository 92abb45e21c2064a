"""The difference between two levels as an injection, and what an injection cannot express.

Every candidate is applied to the first level afterwards; what still differs is listed.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from ...base.bytes.records import CINEMATIC_FRAME
from ...base.errors import ExportError
from ...base.messages import T, as_message
from ...base.schema.fields import Record
from ...levels.animations.animations import animation_models, decode_commands, model_animations
from ...levels.collision.sectors import split_boxes
from ...levels.injections.block import read_block
from ...levels.injections.convert import converted, put_game_test
from ...levels.injections.fields import TRXI
from ...levels.injections.kinds import BlockId, FloorEdit, ReferenceKind
from ...levels.injections.records import block_type
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes
from ...levels.sounds.details import TRX_RANGE, run_of
from ...levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from ...levels.textures.animated import decode_animated
from ..references.comparison import Difference, differences
from .apply import apply_injection
from .baking import images_of
from .edits import NEW_DATA, count_edits
from .make_data import is_of_library, lost_models, put_models
from .make_meshes import mesh_edit, mesh_sources
from .make_rooms import RoomMaker

_VERSION = 11  # of TRXJ
_LARA = 0
# Values that follow from others, or that no engine reads after it applied an injection.
_DERIVED = frozenset({"footer", "floor_data"})
_SOUNDS = frozenset({"sound_map", "sound_details", "sample_data", "sample_indices"})
_TEXTILES = frozenset({"textiles8", "textiles16"})


class Made(NamedTuple):
    """An injection that was made of two levels."""

    injection: Injection  #: may be empty.
    number: int  #: the number of its edits.
    lost: list[Difference]  #: the differences that it does not express.


def make_injection(before: Level, after: Level, *, trxj: bool = False) -> Made:
    """Return the injection that makes one level of another.

    Args:
        before: the unmodified level, which players have.
        after: the edited level. Its numbers have to be those of the unmodified one, with new elements at the
            end.
        trxj: for TRX 1.10 and older, which do not read TRXI.

    Raises:
        ExportError: if the levels are of different games, or of games without injections.
        FormatError: if a level is damaged.
    """
    if before.game is not after.game or before.variant is not after.variant:
        problem = T(
            "the unmodified level is one of {old}, the other one of {new}",
            old=before.game.name,
            new=after.game.name,
        )
        raise ExportError("TRXJ", problem)
    if not before.game.traits.has_trx or not before.has("models"):
        raise ExportError("TRXJ", T("injections are for levels of TR1 to TR3"))
    injection = _Maker(before, after, trxj=trxj).make()
    models, statics = put_models(injection, before, after)
    if not trxj:
        injection = converted(injection, TRXI).injection
    unkept = _add_own_block(injection, before, after)
    count = count_edits(injection)
    if not count:
        injection = Injection(injection.version, 0, before.game)
    applied = apply_injection(injection, before)
    set_rooms = {record["room"] for record in applied.left.records(BlockId.FLOOR)}
    ignored = _DERIVED | (_SOUNDS if _same_sounds(applied.level, after) else frozenset())
    ignored |= _TEXTILES if np.array_equal(images_of(applied.level), images_of(after)) else frozenset()
    remaining = [*differences(_comparable(applied.level), _comparable(after))]
    if models or statics:
        remaining = [each for each in remaining if not is_of_library(each, before, applied.level)]
        remaining += lost_models(applied.level, after)
    lost = [each for each in remaining if each.section not in ignored and not _is_held(each, set_rooms)]
    if count:
        injection.tests = _tests(before)
        if not trxj:
            put_game_test(injection)
    return Made(injection, count, lost + unkept)


def _add_own_block(injection: Injection, before: Level, after: Level) -> list[Difference]:
    """Add the edits that the edited level has in its own block, and the other one has not.

    Returns what the form of the injection cannot hold.
    """
    old, new = read_block(before), read_block(after)
    if new is None:
        return []
    new, lost = converted(new, injection.version)
    old = None if old is None else converted(old, injection.version).injection
    has_data = any(block.type in NEW_DATA for block in injection.blocks)
    for chunk in new.chunks:
        for block in chunk.blocks:
            if block.content is None:
                old_records = [] if old is None else old.records(block.type)
                added = [record for record in block.records if record not in old_records]
                injection.replace(block.type, [*injection.records(block.type), *added])
            elif block.type in NEW_DATA and has_data:
                lost.append(as_message(block_type(block.type).name))
            elif old is None:
                injection.append(chunk.type, block)
    return [Difference("footer", -1, text) for text in lost]


def _is_held(difference: Difference, rooms: set[int]) -> bool:
    """Return whether a difference is one of flags of a room that the injection sets."""
    if difference.section != "rooms" or difference.element not in rooms:
        return False
    return all(part.startswith(("flags", "reverb")) for part in difference.text.split("; "))


def _comparable(level: Level) -> Level:
    """Return a level without values that the engine of its game does not read."""
    if not level.game.traits.has_color_light:
        return level
    result = level.copy()
    for room in result.rooms:
        for name, field in (("vertices", "light"), ("static_meshes", "unused")):
            records = np.array(getattr(room, name))
            records[field] = 0
            setattr(room, name, records)
    return result


def _same_sounds(before: Level, after: Level) -> bool:
    """Return whether all sounds play the same, wherever the levels store them."""
    if sample_storage(before) is not SampleStorage.BLOCK or len(before.sound_map) != len(after.sound_map):
        return False
    waves = sample_waves(before), sample_waves(after)
    return all(
        sound_record(before, number, waves[0]) == sound_record(after, number, waves[1])
        for number in range(len(before.sound_map))
    )


def _tests(level: Level) -> list[Record]:
    """Return conditions that only this level fulfils: its number of rooms, and the place of Lara."""
    tests: list[Record] = [{"type": 1, "rooms": len(level.rooms)}]
    rows = np.flatnonzero(level.entities["type"] == _LARA)
    if len(rows):
        item = level.entities[rows[0]]
        tests.append(
            {
                "type": 0,
                "item": int(rows[0]),
                "object": {"kind": ReferenceKind.MODEL, "id": _LARA},
                **{name: int(item[name]) for name in ("x", "y", "z", "room", "angle")},
            }
        )
    return tests


class _Maker:
    def __init__(self, before: Level, after: Level, *, trxj: bool) -> None:
        self.before, self.after, self.trxj = before, after, trxj
        self.made = Injection(_VERSION, 0, before.game)

    def make(self) -> Injection:
        rooms = RoomMaker(self.before, self.after)
        rooms.compare()
        floor = [*rooms.floor, *self._new_items(), *self._zones()]
        moved = apply_injection(_with_floor(self.made, rooms.floor), self.before).level
        for type_, records in (
            (BlockId.FLOOR, floor),
            (18, self._item_positions(moved)),
            (19, self._meshes()),
            (BlockId.PAGE_EDITS, self._pages()),
            (BlockId.ROOM_SIZES, rooms.sizes),
            (22, rooms.edits),
            (23, rooms.portals),
            (24, self._cameras()),
            (26, self._static_meshes()),
            (27, self._commands()),
            (28, self._sprites()),
            (32, self._frames()),
            (33, self._item_flags()),
            (34, self._speeds()),
            (35, self._animated()),
            (BlockId.SOUNDS, self._sounds()),
        ):
            self.made.replace(type_, records)
        if self._differs("cinematic_frames"):
            frames = self.after.cinematic_frames
            content = np.ascontiguousarray(frames, CINEMATIC_FRAME).tobytes()
            self.made.add_bytes(BlockId.CINEMATIC_FRAMES, len(frames), content)
        if not self.trxj:
            self.made.replace(BlockId.ADDED_RANGES, self._added_ranges())
            demo = self.after.demo_data if self._differs("demo_data") else b""
            if len(demo) and len(demo) % 4 == 0:
                self.made.add_bytes(BlockId.DEMO, len(demo) // 4, bytes(demo))
        self.made.version = 0
        self.made.upgrade(_VERSION)  # gives records the fields without a change
        return self.made

    def _differs(self, name: Any) -> bool:
        if not (self.before.has(name) and self.after.has(name)):
            return False
        old, new = getattr(self.before, name), getattr(self.after, name)
        return old is not new and old.tobytes() != new.tobytes()

    # --- Entities and cameras --------------------------------------------------------------------

    def _new_items(self) -> list[Record]:
        records = []
        for item in self.after.entities[len(self.before.entities) :]:
            values = {name: int(item[name]) for name in ("room", "x", "y", "z", "angle")}
            edit = {
                "type": FloorEdit.NEW_ITEM,
                "object": {"kind": ReferenceKind.MODEL, "id": int(item["type"])},
                **values,
                "shade": int(item["intensity"]),
                "flags": int(item["flags"]),
            }
            records.append({"room": values["room"], "x": 0, "z": 0, "edits": [edit]})
        return records

    def _shared(self, name: str) -> list[tuple[int, Any, Any]]:
        """Return the records of both levels that differ, with their numbers."""
        old, new = getattr(self.before, name), getattr(self.after, name)
        count = min(len(old), len(new))
        rows = np.flatnonzero(old[:count] != new[:count]).tolist()
        return [(row, old[row], new[row]) for row in rows]

    def _item_positions(self, moved_level: Level) -> list[Record]:
        records = []
        count = min(len(moved_level.entities), len(self.after.entities))
        for number in range(count):
            old, new = moved_level.entities[number], self.after.entities[number]
            names = ("angle", "x", "y", "z", "room")
            if any(old[name] != new[name] for name in names):
                records.append({"item": number, **{name: int(new[name]) for name in names}})
        return records

    def _item_flags(self) -> list[Record]:
        return [
            {
                "item": number,
                "object": {"kind": ReferenceKind.MODEL, "id": int(new["type"])},
                "flags": int(new["flags"]),
            }
            for number, old, new in self._shared("entities")
            if old["flags"] != new["flags"] and old["type"] == new["type"]
        ]

    def _cameras(self) -> list[Record]:
        names = ("x", "y", "z", "room", "flags")
        return [
            {"camera": number, **{name: int(new[name]) for name in names}}
            for number, _, new in self._shared("cameras")
        ]

    # --- Zones, pages, sounds --------------------------------------------------------------------

    def _zones(self) -> list[Record]:
        before, after = self.before, self.after
        if self._differs("boxes") or not self._differs("zones") or before.zones.shape != after.zones.shape:
            return []
        changed = set(np.flatnonzero((before.zones != after.zones).any(axis=(0, 1))).tolist())
        records = []
        for number, room in enumerate(before.rooms):
            boxes = split_boxes(room.sectors["box"], before.game)[0].tolist()
            for index, box in enumerate(boxes):
                if box in changed:
                    changed.remove(box)
                    x, z = divmod(index, room.z_sectors)
                    values = after.zones[:, :, box].ravel().astype(np.int16).tolist()
                    edit = {"type": FloorEdit.ZONES, "zones": values}
                    records.append({"room": number, "x": x, "z": z, "edits": [edit]})
        return records

    def _pages(self) -> list[Record]:
        if not (self._differs("textiles8") or self._differs("textiles16") or self._differs("palette")):
            return []
        old, new = images_of(self.before), images_of(self.after)
        records = []
        for page in range(min(len(old), len(new))):
            differs = (old[page] != new[page]).any(axis=-1)
            rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
            if not len(rows):
                continue
            part = new[page, rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            records.append(
                {
                    "page": page,
                    "x": int(columns[0]),
                    "y": int(rows[0]),
                    "width": part.shape[1],
                    "height": part.shape[0],
                    "pixels": part.tobytes(),
                }
            )
        return records

    def _sounds(self) -> list[Record]:
        if sample_storage(self.before) is not SampleStorage.BLOCK:
            return []
        waves = [sample_waves(each) for each in (self.before, self.after)]
        records = []
        for number in range(min(len(self.before.sound_map), len(self.after.sound_map))):
            old, new = sound_record(self.before, number, waves[0]), sound_record(self.after, number, waves[1])
            if new is not None and old != new:
                records.append(new)
        return records

    # --- Library ---------------------------------------------------------------------------------

    def _static_meshes(self) -> list[Record]:
        after = {int(record["id"]): record for record in self.after.static_meshes}
        records = []
        for old in self.before.static_meshes:
            new = after.get(int(old["id"]))
            names = ("visibility_box", "collision_box", "flags")
            if new is None or all((old[name] == new[name]).all() for name in names):
                continue
            flags = int(new["flags"])
            records.append(
                {
                    "id": int(old["id"]),
                    "solid": int(not flags & 1),
                    "visible": int(bool(flags & 2)),
                    "collision_box": new["collision_box"].tolist(),
                    "visibility_box": new["visibility_box"].tolist(),
                }
            )
        return records

    def _owner(self, animation: int) -> tuple[Record, int] | None:
        """Return the model of an animation, and its number there."""
        level = self.before
        model = int(animation_models(level.models, level.animations)[animation])
        if model < 0:
            return None
        first = int(model_animations(level.models, level.animations)[0][model])
        return {"kind": ReferenceKind.MODEL, "id": int(level.models["id"][model])}, animation - first

    def _speeds(self) -> list[Record]:
        records = []
        for number, old, new in self._shared("animations"):
            owner = self._owner(number)
            if old["speed"] != new["speed"] and owner is not None:
                records.append({"object": owner[0], "animation": owner[1], "speed": int(new["speed"])})
        return records

    def _commands(self) -> list[Record]:
        records = []
        for number, old, new in self._shared("animations"):
            owner = self._owner(number)
            if owner is None or old["commands"] == new["commands"]:
                continue
            stream, count = self.after.animation_commands, int(new["commands"])
            commands = decode_commands(stream, int(new["first_command"]), count)
            words = sum(1 + len(each.operands) for each in commands)
            records.append({"object": owner[0], "animation": owner[1], "words": words, "commands": count})
        return records

    def _frames(self) -> list[Record]:
        old, new = self.before.frames, self.after.frames
        has_same_offsets = np.array_equal(
            self.before.animations["frame_offset"], self.after.animations["frame_offset"]
        )
        if not self._differs("frames") or len(old) != len(new) or not has_same_offsets:
            return []
        starts = np.unique(np.append(self.before.animations["frame_offset"].astype(np.int64) // 2, len(old)))
        records = []
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if np.array_equal(old[start:end], new[start:end]):
                continue
            number = int(np.flatnonzero(self.before.animations["frame_offset"] // 2 == start)[0])
            owner = self._owner(number)
            if owner is not None:
                frames = [{"animation": owner[1], "words": new[start:end].tolist()}]
                records.append({"object": owner[0], "frames": frames})
        return records

    def _sprites(self) -> list[Record]:
        firsts = {int(each["first"]): int(each["id"]) for each in self.before.sprite_sequences[::-1]}
        names = ("left", "top", "right", "bottom")
        return [
            {
                "object": {"kind": ReferenceKind.MODEL, "id": firsts[number]},
                "edges": [int(new[name]) for name in names],
            }
            for number, old, new in self._shared("sprite_textures")
            if number in firsts and any(old[name] != new[name] for name in names)
        ]

    def _animated(self) -> list[Record]:
        levels = (self.before, self.after)
        old_groups, new_groups = (decode_animated(level.animated_textures).groups for level in levels)
        return [
            {"range": number, "textures": list(after)}
            for number, (before, after) in enumerate(zip(old_groups, new_groups, strict=False))
            if before != after and after
        ]

    def _added_ranges(self) -> list[Record]:
        levels = (self.before, self.after)
        old, new = (decode_animated(level.animated_textures).groups for level in levels)
        return [{"textures": list(group)} for group in new[len(old) :]]

    def _meshes(self) -> list[Record]:
        if not self._differs("mesh_data") or len(self.before.mesh_pointers) != len(self.after.mesh_pointers):
            return []
        blocks = [
            decode_meshes(each.game, each.mesh_data, each.mesh_pointers) for each in (self.before, self.after)
        ]
        sources = mesh_sources(self.before, *blocks)
        seen: set[int] = set()
        records = []
        for model in self.before.models:
            for number in range(int(model["meshes"])):
                pointer = int(model["first_mesh"]) + number
                index = int(blocks[0].pointers[pointer])
                old, new = (block.meshes[block.pointers[pointer]] for block in blocks)
                if index in seen or old.raw == new.raw:
                    continue
                seen.add(index)
                record = mesh_edit(old, new, sources)
                if record is not None:
                    reference = {"kind": ReferenceKind.MODEL, "id": int(model["id"])}
                    records.append({"object": reference, "mesh": number, **record})
        return records


def _with_floor(injection: Injection, records: list[Record]) -> Injection:
    """Return an injection with the moves of rooms only."""
    new = Injection(injection.version, injection.kind, injection.game)
    moves = [
        record for record in records if any(edit["type"] == FloorEdit.MOVE_ROOM for edit in record["edits"])
    ]
    new.replace(BlockId.FLOOR, copy.deepcopy(moves))
    return new


def sound_record(level: Level, number: int, waves: list[bytes]) -> Record | None:
    """Return the record of a sound of a level with its samples, None if it has none or too many."""
    row = int(level.sound_map[number])
    if not 0 <= row < len(level.sound_details):
        return None
    detail = level.sound_details[row]
    values = {name: int(np.uint16(detail[name]).astype(np.int16)) for name in ("volume", "chance")}
    samples = [waves[each] for each in run_of(detail) if each < len(waves)]
    if len(samples) > _MOST_WAVES:
        return None
    values |= {"sound": number, "range": TRX_RANGE, "pitch": 0}
    return {**values, "flags": int(detail["flags"]), "waves": samples}


_MOST_WAVES = 15
