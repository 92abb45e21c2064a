"""Injections of TRXJ as TRXI, and back as far as TRXJ and the game can hold them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...base.games import Game, SamplePlace
from ...base.messages import T, as_message
from ...base.schema.fields import Record, complete_record
from ...base.units import SECTOR_SIZE
from .canonical import to_game, to_trxi
from .fields import TRXI, RecordForm
from .kinds import BlockId, FloorEdit, ReferenceKind
from .records import BLOCKS, CHUNKS, GAME_TEST, block_type
from .sounds import MOST_WAVES, WAVES
from .trxj import LAST_WITH_NUMBERS, Injection

_WITH_REVERB, _WITH_SYMBOLS = 8, 12  # versions of TRXJ


class OtherForm(NamedTuple):
    """An injection in another form."""

    injection: Injection  #: a copy.
    lost: list[str]  #: what the form or the game cannot hold, as messages.


def converted(injection: Injection, version: int, game: Game | None = None) -> OtherForm:
    """Return an injection in another form. Files of TRXI get a condition that names the game.

    Args:
        version: of TRXJ, or :data:`.fields.TRXI`.
        game: of the levels that it is for; None for the one that it was read for.

    Raises:
        FormatError: if its new models, textures and animations are damaged, or not for the game.
        ExportError: if the game cannot hold them.
    """
    new = copy.deepcopy(injection)
    new.original = b""
    new.game = injection.game if game is None else game
    lost: list[str] = []
    if version >= _WITH_REVERB and new.game.traits.has_reverb:
        edits = (edit for record in new.records(BlockId.FLOOR) for edit in record["edits"])
        if any(edit["type"] == FloorEdit.ROOM_PROPERTIES and "reverb" not in edit for edit in edits):
            lost.append(T("the reverberation of rooms whose flags are set"))
    for block in new.blocks:
        for record in block.records:
            complete_record(block_type(block.type).fields, record, RecordForm(version, new.game))
    if version >= TRXI > injection.version:
        to_trxi(new)
        for record in _all_sounds(new):
            lost += _to_trxi_sound(record)
    elif injection.is_trxi and version < TRXI:
        lost += to_game(new, new.game)
    if version < new.version:
        lost += _drop(new, version)
    new.version = version
    if new.is_trxi:
        put_game_test(new)
    new.chunks.sort(key=lambda chunk: _rank(CHUNKS, chunk.type))
    for chunk in new.chunks:
        chunk.blocks.sort(key=lambda block: _rank(CHUNKS.get(chunk.type, ()), block.type))
    return OtherForm(new, lost)


def put_game_test(injection: Injection) -> None:
    """Give an injection the condition that names its game, as its first, unless it has one."""
    if not any(test["type"] == GAME_TEST for test in injection.tests):
        injection.tests.insert(0, {"type": GAME_TEST, "game": int(injection.game)})


def _rank(order: Any, type_: int) -> int:
    numbers = list(order)
    return numbers.index(type_) if type_ in numbers else len(numbers)


def _all_sounds(injection: Injection) -> Iterator[Record]:
    for type_ in (BlockId.SOUNDS, BlockId.NAMED_SOUNDS):
        yield from injection.records(type_)


def _to_trxi_sound(record: Record) -> Iterator[str]:
    """Change a sound in place. Yield what is lost."""
    if "sample" in record:
        first = record.pop("sample")
        record["waves"] = list(range(first, first + WAVES.of(record["flags"])))
    record["flags"] = int(WAVES.put(record["flags"], 0))
    reach = record.get("range", 0)
    if reach % SECTOR_SIZE or not 0 <= reach <= 255 * SECTOR_SIZE:
        record["range"] = min(max(round(reach / SECTOR_SIZE), 0), 255) * SECTOR_SIZE
        yield T("the exact range of a sound ({count} units)", count=reach)


def _drop(injection: Injection, version: int) -> Iterator[str]:
    """Remove what a version of TRXJ lacks. Yield its names."""
    if injection.is_trxi:
        for type_ in (BlockId.SOUNDS, BlockId.NAMED_SOUNDS):
            records = injection.records(type_)
            kept = [record for record in records if _to_trxj_sound(record, version, injection.game)]
            injection.replace(type_, kept)
            if len(kept) < len(records):
                yield as_message(block_type(type_).name)
        if any(chunk.content is not None for chunk in injection.chunks):
            yield as_message(block_type(-1).name)
        injection.chunks = [chunk for chunk in injection.chunks if chunk.content is None]
        injection.tests = [test for test in injection.tests if "content" not in test]
    has_symbols = version >= _WITH_SYMBOLS
    if not has_symbols:
        injection.tests = [test for test in injection.tests if test["type"] != GAME_TEST]
    lacking = {BlockId.ADDED_RANGES, BlockId.DEMO} | (
        set() if has_symbols else {BlockId.SYMBOLS, BlockId.NAMED_SOUNDS}
    )
    for chunk in injection.chunks:
        for block in chunk.blocks:
            is_known = block.type in BLOCKS and block.type not in lacking
            names = not has_symbols and any(map(names_symbol, block.records))
            records = [each for each in block.records if has_symbols or not _drop_symbols(each)]
            if not is_known or names:
                yield as_message(block_type(block.type).name)
            block.records = records if is_known else []
            block.content = block.content if is_known else None
            block.count *= is_known
    injection.replace(BlockId.FLOOR, injection.records(BlockId.FLOOR))  # removes empty blocks


def names_symbol(record: Record) -> bool:
    """Return whether a record, or one in it, refers to a name that TRX gives a free slot."""
    if record.get("kind") == ReferenceKind.SYMBOL or "symbol" in record:
        return True
    lists = [value if isinstance(value, list) else [value] for value in record.values()]
    return any(isinstance(each, dict) and names_symbol(each) for values in lists for each in values)


def _drop_symbols(record: Record) -> bool:
    """Remove floor edits with names from a sector. Return whether the record has names, or no other edits."""
    if "edits" not in record:
        return names_symbol(record)
    record["edits"] = [each for each in record["edits"] if not names_symbol(each)]
    return not record["edits"]


def _to_trxj_sound(record: Record, version: int, game: Game) -> bool:
    """Change a sound in place. Return whether TRXJ can hold it."""
    waves = record["waves"]
    if len(waves) > MOST_WAVES:
        return False
    record["flags"] = int(WAVES.put(record["flags"], len(waves)))
    if not any(isinstance(each, int) for each in waves):
        return version > LAST_WITH_NUMBERS or game.traits.samples is not SamplePlace.IN_MAIN_SFX
    if version > LAST_WITH_NUMBERS or game.traits.samples is not SamplePlace.IN_MAIN_SFX:
        return False
    record["sample"] = record.pop("waves")[0]
    return bool(waves == list(range(waves[0], waves[0] + len(waves))))
