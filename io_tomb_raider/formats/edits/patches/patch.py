"""Patches as files: made of two levels, applied to a level, merged with another one.

A patch is a JSON text with one operation per line. It holds what changed, by section and record, digests of
both files, and no other data of the base. Files of different layouts have no common sections: such a patch
holds the whole new file and says so.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...base.errors import ExportError, FormatError
from ...base.messages import T, Text
from ...base.texts import plain_text
from ...levels.level.level import Level, read_level, section_noun
from ..references.comparison import Difference, differences
from . import tree
from .make import changes
from .merge import Merge
from .values import Json, Reader, pack

_KIND = "io_tomb_raider level"
_MOST_LINES = 40  # of the summary
_STREAM = "stream"
_NO_PATCH = T("this is no patch of a level")
_NEWER = T("this patch was made by a newer version: update the extension")


@dataclass(frozen=True)
class Patch:
    """A patch."""

    document: dict[str, Json]  #: its content, as the module json reads it.

    @property
    def is_whole(self) -> bool:
        """Whether it holds the whole new file."""
        return "whole" in self.document

    @property
    def holds_streams(self) -> bool:
        """Whether it holds compressed parts as a whole, since another program compressed them."""
        return any(_STREAM in each for each in self.document.get("packing", {}).values())

    @property
    def is_empty(self) -> bool:
        """Whether both files are equal."""
        return bool(self.document["base"]["sha256"] == self.document["result"]["sha256"])

    @property
    def summary(self) -> list[str]:
        """What changed, one line each, as its maker saw it."""
        lines = self.document.get("summary")
        return [each for each in lines if isinstance(each, str)] if isinstance(lines, list) else []

    @property
    def base_name(self) -> str:
        """The name of the file that it was made for."""
        return str(self.document["base"].get("name", ""))

    def to_bytes(self) -> bytes:
        """Return the file: a header, then one operation per line."""
        return _text(self.document).encode("ascii")


@dataclass(frozen=True)
class PatchResult:
    """The result of a patch."""

    data: bytes  #: the level's file.
    is_merged: bool = False  #: whether the level was not the base of the patch.
    is_recompressed: bool = False  #: whether only the compression of the file differs from the patch's.
    #: changes that do not fit, by object and field. They are left out of the data.
    conflicts: Sequence[Text] = field(default=())


def make_patch(old: bytes, new: bytes, old_name: str = "", new_name: str = "") -> Patch:
    """Return the patch that makes one level of another.

    Args:
        old_name, new_name: their names, by which TR4 and TR5 may be told apart.

    Raises:
        FormatError: if a file is no level.
    """
    old_level, new_level = read_level(old, name=old_name), read_level(new, name=new_name)
    document: dict[str, Json] = {
        "patch": _KIND,
        "version": tree.VERSION,
        "game": old_level.game.name,
        "variant": old_level.variant.value,
        "base": {"name": os.path.basename(old_name), "size": len(old), "sha256": tree.digest(old)},
        "result": {
            "name": os.path.basename(new_name),
            "size": len(new),
            "sha256": tree.digest(new),
            "content": tree.content_digest(new_level),
        },
        "summary": _summary(old_level, new_level),
    }
    if _are_alike(old_level, new_level):
        try:
            blocks = tree.block_of(old_level), tree.block_of(new_level)
            head = {**document, **_packing(old_level, new_level, blocks)}
            if blocks[0] is not None and blocks[1] is not None:
                old_level, new_level = tree.opened(old_level, blocks[0]), tree.opened(new_level, blocks[1])
                head["opens"] = tree.INJECTION
            patch = Patch({**head, "changes": changes(old_level, new_level)})
            if apply_patch(old, patch, old_name).data == new:
                return patch
        except (FormatError, ExportError):
            pass  # what the sections do not express is kept whole
    return Patch({**document, "whole": pack(new)})


def _are_alike(old: Level, new: Level) -> bool:
    if (old.game, old.variant, old.layout) != (new.game, new.variant, new.layout):
        return False
    if vars(old).keys() != vars(new).keys():
        return False
    rooms = [*getattr(old, "rooms", ()), *getattr(new, "rooms", ())]
    return all(vars(room).keys() == vars(rooms[0]).keys() for room in rooms)


def _summary(old: Level, new: Level) -> list[str]:
    try:
        listed = list(islice(differences(old, new), _MOST_LINES + 1))
    except FormatError:  # damaged meshes cannot be compared one by one
        return []
    lines = [_line(each) for each in listed[:_MOST_LINES]]
    return [*lines, "and more"] if len(listed) > _MOST_LINES else lines


def _line(difference: Difference) -> str:
    if difference.element < 0:
        return f"{difference.section.replace('_', ' ')}: {difference.text}"
    return f"{section_noun(difference.section, 1)} {difference.element}: {difference.text}"


def _packing(
    old_level: Level, new_level: Level, blocks: tuple[tree.TreeBlock | None, tree.TreeBlock | None]
) -> dict[str, Json]:
    """Return how chunks are compressed, where it is not by the rule of exports."""
    streams = {
        name: (old_level.streams[name], (content, bytes(stream)))
        for name, (content, stream) in new_level.streams.items()
    }
    old_block, new_block = blocks
    if old_block is not None and new_block is not None:
        old_stream = old_block.payload, memoryview(old_block.stream)
        streams[tree.INJECTION] = old_stream, (new_block.payload, new_block.stream)
    packing: dict[str, Json] = {}
    for name, ((old_content, kept), (content, stream)) in streams.items():
        rule = bytes(kept) if content == old_content else zlib.compress(content, 6)
        if rule == stream:
            continue
        level = tree.compression(content, stream)
        whole = {_STREAM: pack(stream), "size": len(stream)}
        packing[name] = whole if level is None else {"level": level}
    return {"packing": packing} if packing else {}


def read_patch(data: bytes) -> Patch:
    """Read a patch. Its operations are checked when they are applied.

    Raises:
        FormatError: if it is no patch, of a newer version, or damaged.
    """
    try:
        document = json.loads(plain_text(data), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise FormatError("patch", "JSON", str(error)[:80], line=line, problem=_NO_PATCH) from None
    if not isinstance(document, dict) or document.get("patch") != _KIND:
        raise FormatError("patch", _KIND, type(document).__name__, problem=_NO_PATCH)
    head = Reader(document, "patch")
    if head.number("version", 1) > tree.VERSION:
        raise FormatError("patch", f"version {tree.VERSION}", str(document["version"]), problem=_NEWER)
    for name in ("base", "result"):
        part = Reader(document.get(name), name)
        part.number("size")
        part.text("sha256")
        part.text("name")
    Reader(document["result"], "result").text("content")
    return Patch(document)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def apply_patch(base: bytes, patch: Patch, name: str = "") -> PatchResult:
    """Apply a patch to a level.

    A level that is not the patch's base is merged: operations that touch what was edited are conflicts.

    Raises:
        FormatError: if the level or the patch is damaged, or if the patch cannot be merged with this level.
    """
    document, head, result = patch.document, Reader(patch.document, "patch"), patch.document["result"]
    is_base = tree.digest(base) == document["base"]["sha256"]
    if not is_base and tree.digest(base) == result["sha256"]:
        return PatchResult(base)
    if patch.is_whole:
        if not is_base:
            raise _refused(T("the patch holds a whole file, which cannot be merged with another level"))
        data = head.data("whole", Reader(result, "result").number("size"))
        return _checked(data, result)
    level = read_level(base, name=name or patch.base_name)
    game, variant = head.text("game"), head.text("variant")
    if (level.game.name, level.variant.value) != (game, variant):
        text = T(
            "the patch is for a level of {expected}, this is one of {found}",
            expected=game,
            found=level.game.name,
        )
        raise _refused(text)
    block = None
    if document.get("opens") == tree.INJECTION:
        block = tree.block_of(level)
        if block is None:
            raise _refused(T("the patch edits the injection of TRX in the level, and this one has none"))
        level = tree.opened(level, block)
    merge = Merge(level, is_exact=is_base, version=head.number("version", 1, tree.VERSION))
    merge.apply(head.items("changes"))
    packing = Reader(document.get("packing", {}), "packing") if is_base else Reader({}, "packing")
    try:
        if block is not None:
            merge.level = tree.closed(merge.level, _stream_of(merge.level, block, packing))
        if not is_base:
            return _merged(merge, result)
        _pack(merge.level, packing)
        return _checked(merge.level.to_bytes(), result, merge.level)
    except (ExportError, struct.error) as error:
        raise FormatError("changes", "a level that can be written", str(error)) from None


def _merged(merge: Merge, result: Any) -> PatchResult:
    data = merge.level.to_bytes()
    try:
        read_level(data, name=result["name"])
    except FormatError as error:
        raise _refused(T("the merged level cannot be read: {error}", error=str(error))) from None
    return PatchResult(data, is_merged=True, conflicts=tuple(merge.conflicts))


def _refused(problem: Text) -> FormatError:
    return FormatError("patch", "the level that the patch was made for", "another level", problem=problem)


def _checked(data: bytes, result: Any, level: Level | None = None) -> PatchResult:
    """Return the result if it is the one that the patch was made of."""
    if tree.digest(data) == result["sha256"]:
        return PatchResult(data)
    if level is not None and tree.content_digest(level) == result["content"]:
        return PatchResult(data, is_recompressed=True)  # by another version of zlib
    raise FormatError("result", f"the digest {result['sha256'][:16]}", tree.digest(data)[:16])


def _pack(level: Level, packing: Reader) -> None:
    """Compress chunks as the patch says."""
    for name in tree.chunks(level):
        if packing.has(name):
            content = tree.chunks(level)[name]  # the last one contains the others
            stream = _packed(content, packing, name)
            level.streams = {**level.streams, name: (content, memoryview(stream))}


def _stream_of(level: Level, block: tree.TreeBlock, packing: Reader) -> bytes:
    """Return the compressed injection of a level."""
    payload: bytes = vars(level)[tree.INJECTION].tobytes()
    if packing.has(tree.INJECTION):
        return _packed(payload, packing, tree.INJECTION)
    return block.stream if payload == block.payload else zlib.compress(payload, 6)


def _packed(content: bytes, packing: Reader, name: str) -> bytes:
    reader = Reader(packing.value[name], f"packing.{name}")
    if reader.has(_STREAM):
        return reader.data(_STREAM, reader.number("size"))
    return zlib.compress(content, reader.number("level", 0, 9))


# --- The text ----------------------------------------


def _text(document: dict[str, Json]) -> str:
    """Return JSON with one operation per line."""
    parts = []
    for name, value in document.items():
        if name == "changes":
            lines = ",\n".join(_change(each) for each in value)
            parts.append(f'"changes": [\n{lines}\n]')
        elif isinstance(value, list):
            lines = ",\n".join(f"  {json.dumps(each)}" for each in value)
            parts.append(f"{json.dumps(name)}: [\n{lines}\n]" if value else f"{json.dumps(name)}: []")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _change(change: dict[str, Json]) -> str:
    if "do" not in change:
        return "  " + json.dumps(change)
    head = json.dumps({name: value for name, value in change.items() if name != "do"})[:-1]
    lines = ",\n".join(f"    {json.dumps(each)}" for each in change["do"])
    return f'  {head}, "do": [\n{lines}\n  ]}}'
