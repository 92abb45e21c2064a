"""Injections of levels in the scene: edits are disabled, deleted or applied, and files imported.

Edits are applied to the exported level, which then replaces the level in the scene: only so does everything
become what the engine makes of it.
"""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector

from ...formats import ExportError, read_level
from ...formats.base import T, Target, as_message
from ...formats.edits.injections import (
    ElementNumbers,
    Fitting,
    Problem,
    after_new_items,
    apply_injection,
    count_edits,
    edits_of,
    follow,
    has_level_data,
    key_of,
    make_injection,
    merged,
    new_items,
    only,
    tagged,
    without,
)
from ...formats.edits.references import Difference
from ...formats.levels.injections import Injection, put_block
from ...formats.levels.level import Level
from ...formats.levels.views import Decoded
from ..core import original
from ..core.context import ImportOptions
from ..core.membership import members
from ..core.reporting.progress import Listener
from ..core.reporting.report import Report
from ..core.reporting.results import ExportResult
from ..core.subjects import SUBJECTS, Kind
from ..pipeline.beside import move
from ..pipeline.exporter import export_level
from ..pipeline.importer import import_level
from ..subjects.injections.edits import disabled_edits, list_edits
from ..transfer.append.deleting import delete_level


class ExportedInjection(NamedTuple):
    """An injection that was made of a level in the scene."""

    injection: Injection  #: may be empty.
    number: int  #: the number of its edits.
    lost: list[tuple[str, str]]  #: what it does not express: the name of the object, and the difference.


class Changed(NamedTuple):
    """The result of a change of a level's edits."""

    root: Collection  #: the level, which may be another collection than before.
    number: int  #: the number of edits that were applied or added.
    problems: Sequence[Problem] = ()  #: edits that could not be applied.
    removed: int = 0  #: edits that no longer fit the edited level, by name.
    lost: Sequence[str] = ()  #: what the block of the level cannot hold, as messages.
    slots: Mapping[str, int] = {}  #: the slots of models that have names instead, by name.


def block_to_edit(root: Collection) -> tuple[Decoded, Injection]:
    """Return the original of a level, and its block, empty without one.

    Raises:
        ExportError: if the block cannot be read.
        FormatError: if the stored file is damaged.
    """
    decoded = original.load(root)
    if decoded is None:
        raise ExportError(root.name, T("the collection is not a level: import one first"))
    if not decoded.level.game.traits.has_trx or not decoded.level.has("models"):
        raise ExportError(root.name, T("only levels of TR1 to TR3 can have edits for TRX"))
    block = decoded.injection
    if block is None and len(decoded.level.footer):
        raise ExportError(
            root.name, T("the data after the level's end cannot be read, so it is kept as it is")
        )
    return decoded, Injection(_VERSION, 0, decoded.level.game) if block is None else block


_VERSION = 6  # older engines read it, too


def delete_edits(root: Collection, keys: Container[str]) -> int:
    """Delete edits from the block of a level. Return their number.

    Raises:
        ExportError, FormatError: see :func:`block_to_edit`.
    """
    decoded, block = block_to_edit(root)
    old_keys = [edit.key for edit in edits_of(block)]
    remaining = [key for key in old_keys if key not in keys]
    _put_block(root, decoded, without(block, keys), _indices(remaining, disabled_edits(root)))
    return len(old_keys) - len(remaining)


def refresh_edits(root: Collection) -> int:
    """List the edits of a level's block again. Return their number.

    Raises:
        ExportError, FormatError: see :func:`block_to_edit`.
    """
    _, block = block_to_edit(root)
    list_edits(root, block, disabled_edits(root))
    return len(root.tomb_raider.edits)


def _indices(keys: Sequence[str], selected: Container[str]) -> set[int]:
    return {index for index, key in enumerate(keys) if key in selected}


def _put_block(root: Collection, decoded: Decoded, block: Injection, disabled: Container[int]) -> None:
    """Store another block in the original of a level, and list its edits.

    Args:
        disabled: the places of disabled edits in it.
    """
    level = decoded.level.copy()
    put_block(level, block)
    data = level.to_bytes()
    original.keep_base(root, original.base_bytes(root))
    original.store(root, original.kept(data))
    stored = original.load(root)
    assert stored is not None  # it was just stored
    new = stored.injection
    keys = [edit.key for edit in edits_of(new)] if new is not None else []
    list_edits(root, new, {key for index, key in enumerate(keys) if index in disabled})


def apply_edits(
    root: Collection,
    keys: Container[str],
    options: ImportOptions,
    *,
    report: Report,
    listener: Listener | None = None,
) -> Changed:
    """Bake edits of a level's block into the level. The level is imported again.

    Args:
        root: the level. Its collection is replaced.
        keys: of the edits, as in the list.
        options: of the import; parts that were not imported before are left out.

    Raises:
        ExportError: if the game cannot hold something of the scene, or if nothing can be applied.
        FormatError: if the stored file is damaged.
    """
    block_to_edit(root)
    exported = export_level(root, report=report, listener=listener)
    assert exported.edits is not None  # the level has a world
    block = exported.edits.injection
    if block is None:
        raise ExportError(root.name, T("the level has no edits for TRX"))
    block, disabled = tagged_once(block), disabled_edits(root)
    selected = only(block, keys)
    applied = apply_injection(selected, exported.level)
    if not applied.number:
        _raise_nothing(root, applied.problems)
    kept = {problem.edit.key for problem in applied.problems}
    applied_keys = {edit.key for edit in edits_of(selected)} - kept
    items = len(exported.level.entities)
    baked = [key_of(each) in applied_keys for each in new_items(block)]
    remaining = after_new_items(without(block, applied_keys), baked, items)
    names = [each for each in applied.left.records(_NAMES) if each not in selected.records(_NAMES)]
    if names:
        remaining.upgrade(_WITH_NAMES)
        remaining.replace(_NAMES, [*remaining.records(_NAMES), *names])
    indices = _indices([edit.key for edit in edits_of(remaining)], disabled)
    new = _replace(root, exported, applied.level, remaining, indices, options, listener)
    return Changed(new, applied.number, applied.problems)


_NAMES, _WITH_NAMES = 37, 9


def tagged_once(block: Injection) -> Injection:
    """Return a block whose records know their keys, of the export or their own."""
    is_tagged = any(key_of(record) for each in block.blocks for record in each.records) or any(
        key_of(edit) for record in block.records(17) for edit in record["edits"]
    )
    return block if is_tagged else tagged(block)


def _raise_nothing(root: Collection, problems: Sequence[Problem]) -> None:
    if problems:
        first = problems[0]
        raise ExportError(
            root.name,
            T("nothing could be applied. {edit}: {problem}", edit=first.edit.label, problem=first.text),
        )
    raise ExportError(root.name, T("no edits are chosen"))


def import_injection(
    root: Collection,
    fitting: Fitting,
    options: ImportOptions,
    *,
    apply: bool,
    report: Report,
    listener: Listener | None = None,
) -> Changed:
    """Add an injection file to a level: bake it, or keep its edits.

    Edits that are properties of sectors, rooms or entities always become those of the scene.

    Args:
        root: the level. Its collection is replaced, unless edits are only added to the list.
        fitting: the injection. Its numbers are those of the file that the level was imported from.
        options: of the import, see :func:`apply_edits`.
        apply: whether to bake it.

    Raises:
        ExportError: if the game cannot hold something of the scene, or if edits cannot be joined.
        FormatError: if the stored file is damaged.
    """
    decoded, block = block_to_edit(root)
    injection = fitting.injection
    count = count_edits(injection)
    if not apply and not has_level_data(injection):
        keys = [edit.key for edit in edits_of(block)]
        fitting_edits = follow(injection, decoded, decoded, _unchanged(decoded.level), {}, {})
        removed = sum(fitting_edits.removed.values())
        joined, lost = merged(block, fitting_edits.injection, len(decoded.level.entities))
        if decoded.injection is None:
            root.tomb_raider.engine = Target.TRX.name
        _put_block(root, decoded, joined, _after_merge(joined, block, _indices(keys, disabled_edits(root))))
        return Changed(root, count - removed, removed=removed, lost=lost)
    exported = export_level(root, report=report, listener=listener)
    assert exported.edits is not None  # the level has a world
    numbering = exported.edits.numbering
    followed = follow(tagged(injection), decoded, Decoded(exported.level), numbering, {}, {})
    removed = sum(followed.removed.values())
    level, new, problems = exported.level, followed.injection, []
    slots: dict[str, int] = {}
    if apply:
        applied = apply_injection(new, level)
        level, new, problems, slots = applied.level, applied.left, applied.problems, applied.slots
        count -= removed + len(problems)
    current = exported.edits.injection
    joined, lost = merged(current, new, len(level.entities))
    keys = [edit.key for edit in edits_of(current)] if current is not None else []
    indices = _indices(keys, disabled_edits(root))
    if current is not None:
        indices = _after_merge(joined, current, indices)
    new_root = _replace(root, exported, level, joined, indices, options, listener)
    return Changed(new_root, count, problems, removed, lost, slots)


def _unchanged(level: Level) -> ElementNumbers:
    """Return the numbering of a level that was not edited."""
    rooms, entities, cameras = (np.arange(len(each)) for each in (level.rooms, level.entities, level.cameras))
    return ElementNumbers(rooms.tolist(), rooms, entities, cameras)


def _after_merge(joined: Injection, block: Injection, indices: set[int]) -> set[int]:
    """Return the places of edits of a block after another one was joined to it."""
    keys = [edit.key for index, edit in enumerate(edits_of(block)) if index in indices]
    tagged_block = tagged(block)
    edits = edits_of(only(tagged_block, keys))
    joined_edits = edits_of(joined)
    result: set[int] = set()
    for edit in edits:
        same = (
            index for index, each in enumerate(joined_edits) if each[1:] == edit[1:] and index not in result
        )
        index = next(same, None)
        if index is not None:
            result.add(index)
    return result


def _replace(
    root: Collection,
    exported: ExportResult,
    level: Level,
    block: Injection,
    disabled: set[int],
    options: ImportOptions,
    listener: Listener | None,
) -> Collection:
    """Import a level in the place of the one in the scene. Return its root collection."""
    level = level.copy()
    put_block(level, block)
    data, source = level.to_bytes(), root.tomb_raider.source
    read_level(data, name=source)  # before the level in the scene is deleted
    kept = {name: getattr(root.tomb_raider, name) for name in _KEPT}
    if block.chunks and exported.edits is not None and exported.edits.injection is None:
        kept["engine"] = Target.TRX.name
    name, offset = root.name, Vector(root.tomb_raider.offset)
    base = original.base_bytes(root)
    import_options = replace(
        options, **_parts(root), scale=root.tomb_raider.scale, set_up_scene=False, beside=False
    )
    parents = [each for each in bpy.data.collections if root.name in each.children]
    user_objects = _user_objects(root)
    scene = bpy.context.scene
    assert scene is not None  # the level is in it
    for obj in user_objects:
        if obj.name not in scene.collection.objects:
            scene.collection.objects.link(obj)
    delete_level(root)
    result = import_level(data, import_options, source or name, listener=listener).root
    result.name = name
    for setting, value in kept.items():
        setattr(result.tomb_raider, setting, value)
    for parent in parents:
        parent.children.link(result)
    if parents:
        scene.collection.children.unlink(result)
    original.keep_base(result, base)
    _rename(result, exported)
    for index, item in enumerate(result.tomb_raider.edits):
        item.is_enabled = index not in disabled
    move(result, offset)
    bpy.context.view_layer.update()
    return result


def _rename(root: Collection, exported: ExportResult) -> None:
    """Give the objects of a level that was imported again the names that they had."""
    for obj in members(root):
        kind = _KINDS.get(obj.tomb_raider.kind, "")
        written = exported.written.get((kind, obj.tomb_raider.index))
        if written is not None and written.name != obj.name:
            obj.name = written.name


_KINDS: dict[str, str] = {
    Kind.ROOM: "room",
    Kind.ENTITY: "entity",
    Kind.CAMERA: "camera",
    Kind.SINK: "camera",
}


def _user_objects(root: Collection) -> list[Object]:
    """Return the user's objects in the collections of a level, which are no part of it."""
    inside = members(root)
    parents = {obj.parent for obj in inside if obj.tomb_raider.kind != Kind.NONE}
    return [obj for obj in inside if obj.tomb_raider.kind == Kind.NONE and obj not in parents]


# Settings of a level that its file does not hold.
_KEPT = ("title", "folder", "engine", "source", "target", "script", "pathfinding")


def _parts(root: Collection) -> dict[str, Any]:
    """Return the options of an import that leave out what a level left out before."""
    result: dict[str, bool] = {}
    for subject in SUBJECTS:
        if subject.number and subject.option:
            is_there = subject.identifier in root.tomb_raider.imported
            result[subject.option] = result.get(subject.option, False) or is_there
    return result


# --- Export --------------------------------------------------------------------------------------

# Elements of sections that have objects in the scene.
_ELEMENTS = {"rooms": "room", "entities": "entity", "cameras": "camera"}


def export_injection(
    root: Collection,
    base: str | None,
    *,
    trxj: bool = False,
    report: Report,
    listener: Listener | None = None,
) -> ExportedInjection:
    """Return the difference between a level in the scene and an unmodified one as an injection.

    Args:
        base: the file of the unmodified level; None for the file that the level was imported from.
        trxj: for TRX 1.10 and older.

    Raises:
        ExportError: if the game cannot hold something of the scene, or the levels are of different games.
        FormatError: if a file is damaged.
        OSError: if the unmodified level cannot be read.
    """
    block_to_edit(root)
    if base is None and not root.tomb_raider.source:
        raise ExportError(root.name, T("this level comes from no file. Choose the unmodified level"))
    imported = original.load_base(root)
    assert imported is not None  # its original was just read
    before = imported.level if base is None else read_level(base)
    exported = export_level(root, report=report, listener=listener)
    result = make_injection(before, read_level(exported.level.to_bytes()), trxj=trxj)
    lost = [(_subject(root, exported, each), each.text) for each in result.lost]
    return ExportedInjection(result.injection, result.number, lost)


def _subject(root: Collection, exported: ExportResult, difference: Difference) -> str:
    """Return the name of the object of a difference, or the section of the level."""
    kind = _ELEMENTS.get(difference.section, "")
    written = exported.written.get((kind, difference.element))
    if written is not None:
        return written.name
    section = as_message(difference.section.replace("_", " "))
    if difference.element < 0:
        return section
    return T("{section} {number}", section=section, number=difference.element)
