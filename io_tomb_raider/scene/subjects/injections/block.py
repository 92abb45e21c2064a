"""The block of TRX's edits after a level's last section, in exports.

The engine applies it last: without this, old edits would undo those of the scene, or change other elements.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ....formats import FormatError
from ....formats.base import Record, T, Target, as_message, joined
from ....formats.edits.injections import (
    ElementNumbers,
    Followed,
    counts,
    follow,
    put_openings,
    tagged,
    without,
)
from ....formats.levels.injections import BlockId, Injection, put_block, put_names, put_properties, read_block
from ....formats.levels.views import Decoded
from ...core.context import ExportContext, ImportContext
from ...core.reporting.report import storable
from ...core.reporting.results import ExportedEdits
from ...core.stages import CAMERA_NUMBERS, ENTITY_NUMBERS
from ..cameras.flybys import FLYBY_EDITS
from ..rooms.location.where import WHEREABOUTS
from ..rooms.rooms import ROOM_EDITS
from ..rooms.sector_edits import SECTOR_EDITS
from ..sounds.for_trx import SOUND_EDITS
from ..textures.pages import PAGE_EDITS
from .edits import disabled_edits, list_edits
from .properties import changed_properties

_LOWEST = 6  # version that has records of sectors, pages and sounds: older engines read it, too

# Results of an export that block edits may refer to.
_REFERRED = frozenset(
    {"rooms", "entities", "cameras", "sectors", "floor_data", "textiles", "object_textures", "sound_map"}
)


def block_of(decoded: Decoded) -> Injection | FormatError | None:
    """Return the edits after a level's last section, the error of a damaged block, or None without one."""
    return decoded.once(_read)


def _read(decoded: Decoded) -> Injection | FormatError | None:
    try:
        return read_block(decoded.level)
    except FormatError as error:
        return error


def import_block(context: ImportContext) -> None:
    """Warn of a block that cannot be read. It is kept as it is."""
    block = block_of(context.decoded)
    if isinstance(block, FormatError):
        text = T(
            "the block of edits after the level's end cannot be read, so it is kept as it is ({error})",
            error=str(block),
        )
        context.report.warn("TRX", text)


def import_edits(context: ImportContext) -> None:
    """List the edits of the block. All objects must exist."""
    block = block_of(context.decoded)
    if isinstance(block, Injection):
        list_edits(context.root, block)
        totals = counts(block)
        if totals:
            context.report.note("TRX", T("its block of edits holds {edits}", edits=_listing(totals)))


def export_block(context: ExportContext) -> ExportedEdits:
    """Write the block of a changed level: the numbers follow, and replaced edits are removed.

    All other sections must be complete.
    """
    names, disabled = _script_names(context), disabled_edits(context.root)
    properties = changed_properties(context)
    block, plan = block_of(context.decoded), WHEREABOUTS.of(context).plan
    entities, cameras = ENTITY_NUMBERS.of(context).map, CAMERA_NUMBERS.of(context).map
    numbering = ElementNumbers(plan.sources, plan.map, entities, cameras)
    if isinstance(block, FormatError):
        if context.rebuilt or names is not None:
            _warn_of_damage(context, block)
        return ExportedEdits(None, numbering)
    if not context.rebuilt and names is None and properties is None:
        if block is not None and disabled and put_block(context.level, without(block, disabled)):
            context.rebuilt.count("injection")
        return ExportedEdits(block, numbering)
    sectors, rooms = SECTOR_EDITS.of(context), ROOM_EDITS.of(context)
    has_edits = any(each for lists in sectors.values() for each in lists.values()) or any(rooms.values())
    replaced = _replaced(context)
    has_edits |= bool(names) or any(replaced.values())
    has_edits |= properties is not None and any(any(each.values()) for each in properties[0])
    if block is None and has_edits:
        block = Injection(_LOWEST, 0, context.original.game)
    if block is None:
        return ExportedEdits(None, numbering)
    after = Decoded(context.level)
    followed = follow(tagged(block), context.decoded, after, numbering, sectors, rooms, replaced)
    if names is not None:
        put_names(followed.injection, names, len(context.level.entities))
    if properties is not None:
        put_properties(followed.injection, properties[0], len(context.level.entities), properties[1])
    _write(context, followed, disabled)
    return ExportedEdits(followed.injection, numbering)


def _replaced(context: ExportContext) -> dict[int, list[Record]]:
    """Return the changed blocks that the scene has completely, by type."""
    by_type = {
        BlockId.PAGE_EDITS: PAGE_EDITS.of(context),
        BlockId.SOUNDS: SOUND_EDITS.of(context),
        BlockId.FLYBYS: FLYBY_EDITS.of(context),
    }
    return {type_: records for type_, records in by_type.items() if records is not None}


def _script_names(context: ExportContext) -> dict[int, str] | None:
    """Return the names of exported entities by number; None if they are those of the file, or not for TRX."""
    if context.target is not Target.TRX or "ENTITIES" not in context.root.tomb_raider.imported:
        return None
    numbers = ENTITY_NUMBERS.of(context)
    names = {number: obj.tomb_raider.entity.script_name for obj, number in numbers.of.items()}
    expected = {
        int(numbers.map[number]): storable(name)
        for number, name in context.decoded.entity_names.items()
        if 0 <= number < len(numbers.map)
    }
    if all(expected.get(number, "") == name for number, name in names.items()):
        return None
    return {number: name for number, name in names.items() if name}


def _warn_of_damage(context: ExportContext, error: FormatError) -> None:
    if not _REFERRED.isdisjoint(context.rebuilt):
        text = T(
            "the level's block of edits cannot be read and stays as it was: it may change the wrong elements "
            "now ({error})",
            error=str(error),
        )
        context.report.warn("TRX", text)


def _write(context: ExportContext, followed: Followed, disabled: Collection[str]) -> None:
    put_openings(context.level, followed.openings)
    context.rebuilt.count("sectors", len(followed.openings))
    if put_block(context.level, without(followed.injection, disabled)):
        context.rebuilt.count("injection")
    if followed.injection.has_unknown_parts and not _REFERRED.isdisjoint(context.rebuilt):
        text = T(
            "the level's block of edits has unknown parts, which stay as they were: they may change the "
            "wrong elements now"
        )
        context.report.warn("TRX", text)
    if followed.removed:
        text = T(
            "these edits were removed, as the scene replaces them or their elements were deleted: {edits}",
            edits=_listing(followed.removed),
        )
        context.report.warn("TRX", text)


def _listing(totals: Mapping[str, int]) -> str:
    return joined(", ", (T("{name} ({count})", name=as_message(each), count=totals[each]) for each in totals))
