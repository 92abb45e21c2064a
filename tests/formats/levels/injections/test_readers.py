"""Parts of injections that versions of TRX do not read, in words."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.injections.make import make_injection
from io_tomb_raider.formats.edits.injections.readers import check_block, remarks
from io_tomb_raider.formats.levels.injections.files import read_injection
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Severity

from .samples import level_of, mod, t1mj, trxi, trxj

pytestmark = pytest.mark.once

NAME = (37, 1, struct.pack("<hi", 4, 0))
FLYBYS = (38, 0, b"")
OLD_SIZES, SIZES = ((21, 1, struct.pack(f"<{count}h", *range(count))) for count in (6, 7))
MISREAD = "TRX 1.11 and newer misread the sizes of rooms in version 10, and all edits after them"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (trxj(6, [NAME]), []),
        (trxj(11, [NAME, SIZES]), []),
        (trxj(10, [NAME, OLD_SIZES]), [(1, MISREAD)]),
        (trxj(5, [NAME, OLD_SIZES]), [(1, "TRX 1.11 and newer do not read TRXJ 5")]),
        (trxj(9, [FLYBYS, NAME]), [(0, "TRX 1.11 may skip flyby cameras")]),
        (trxj(12, [NAME]), [(0, "TRX 1.10 and older do not read TRXJ 12")]),
        (trxi((6, 1, [NAME])), [(0, "TRX 1.10 and older do not read TRXI 1")]),
        (mod(), [(0, "TRX 1.10 and older do not read TRXI 1")]),
        (t1mj(9), [(1, "TRX does not read T1MJ files since 2025")]),
    ],
    ids=range(9),
)
def test_remarks(data: bytes, expected: list[tuple[int, str]]) -> None:
    assert [(each.severity.value, str(each.text)) for each in remarks(read_injection(data))] == expected


def test_new_models_for_old_versions_are_skipped_by_new_ones() -> None:
    before, after = level_of(Game.TR1), level_of(Game.TR1)
    model = after.models[1:2].copy()
    model["id"] = 150
    after.models = np.concatenate([after.models, model])
    (remark,) = remarks(make_injection(before, after, trxj=True).injection)
    assert remark.severity is Severity.WARNING
    assert remark.text.startswith("TRX 1.11 and newer skip palettes, texture pages, object textures, mesh ")
    (remark,) = remarks(make_injection(before, after).injection)
    assert remark.text == "TRX 1.10 and older do not read TRXI 1"


def test_blocks_of_levels_for_trx_are_checked() -> None:
    level = level_of(Game.TR2)
    level.footer = np.frombuffer(trxj(10, [OLD_SIZES, FLYBYS], level=1), np.uint8)
    text = f"its block of edits: {MISREAD}. Apply these edits, or export them as an injection"
    found = [(each.severity, each.text) for each in check_block(Decoded(level))]
    assert found == [
        (Severity.INFO, "its block of edits: TRX 1.11 may skip flyby cameras"),
        (Severity.WARNING, text),
    ]
    assert text in [each.text for each in check_level(level)]
    assert not [*check_block(Decoded(level, Target.ORIGINAL))]
