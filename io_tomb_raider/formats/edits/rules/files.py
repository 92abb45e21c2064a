"""Rules of files, texture pages and palettes."""

from __future__ import annotations

import numpy as np

from ...base.games import Variant
from ...base.messages import N_
from ...levels.injections.trxj import MAGICS
from ...levels.level.level import PROTECTED_TR4
from ...levels.views.decoded import Decoded
from .rule import (
    CROFTENGINE,
    ORIGINAL,
    TR1,
    TR2,
    TR3,
    TR4,
    TR5,
    TR_RANDO,
    TRX,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)

_MISC_PAGES = {4: 2, 5: 3}  # font and sky; TR5 also has an environment map
_LAST_WEATHER, _LAST_LARA = 2, 7
_BRIGHTEST_6BIT = 63


def _geometry_words(checked: Decoded) -> Places:
    words = np.array([room.geometry_words for room in checked.level.rooms], np.int64).reshape(-1, 2)
    return where((words[:, 0] != words[:, 1]) & (words[:, 1] >= 0))  # -1: counted when it is written


def _demo(checked: Decoded) -> Places:
    return once_if(len(checked.level.demo_data) > 0)


def _pages(checked: Decoded) -> Places:
    level = checked.level
    count = level.room_textiles + level.object_textiles + level.bump_textiles
    misc = _MISC_PAGES[level.game]
    return once_if(
        len(level.textiles32) != count or len(level.textiles16) != count or len(level.misc_textiles32) != misc
    )


def _form(checked: Decoded) -> Places:
    return once_if(checked.level.variant is not Variant.RETAIL or checked.level.version == PROTECTED_TR4)


def _after_end(checked: Decoded) -> Places:
    return once_if(len(checked.level.footer) > 0)


def _bump_pages(checked: Decoded) -> Places:
    return once_if(checked.level.bump_textiles % 2 != 0)


def _settings(checked: Decoded) -> Places:
    level = checked.level
    return once_if(not (0 <= level.weather <= _LAST_WEATHER and 0 <= level.lara_type <= _LAST_LARA))


def _end(checked: Decoded) -> Places:
    level = checked.level
    footer = level.footer[:4].tobytes() if level.has("footer") else b""
    return once_if(len(footer) > 0 and footer not in MAGICS)


def _bright_palette(checked: Decoded) -> Places:
    return once_if(int(checked.level.palette.max(initial=0)) > _BRIGHTEST_6BIT)


def _black(checked: Decoded) -> Places:
    return once_if(not (checked.level.palette16[:, :3] == 0).all(axis=1).any())


def _page_forms(checked: Decoded) -> Places:
    level = checked.level
    return once_if(len(level.textiles8) != len(level.textiles16) or not len(level.textiles16))


RULES = (
    Rule(
        "room words",
        Harm.CRASH,
        TR1 | TR2 | TR3 | TR4,
        (TRX,),
        N_("TRX ends while it loads the level: its number of data words is not that of its mesh"),
        _geometry_words,
        "room",
    ),
    Rule(
        "demo data",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL, TR_RANDO),
        N_("the original game reads the sounds from the demo data. Delete the demo data"),
        _demo,
        holds_in_trng=False,
    ),
    Rule(
        "page counts",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL, "OpenLara", TRX),
        N_("engines read texture pages that do not exist: the page counts are not those of the pictures"),
        _pages,
    ),
    Rule(
        "form for TRX",
        Harm.CRASH,
        TR4,
        (TRX,),
        N_(
            "TRX does not open the level: it has the form of a demo, or its builder protected it. "
            "Convert a demo; exports for TRX have no protection"
        ),
        _form,
        only_for_trx=True,
    ),
    Rule(
        "data after the end",
        Harm.MISSING,
        TR4,
        (TRX,),
        N_("TRX ignores what follows the level: actions, conditions and other data of TRNG do nothing"),
        _after_end,
        only_for_trx=True,
    ),
    Rule(
        "bump pages",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game shows wrong height maps: the number of bump pages is odd"),
        _bump_pages,
    ),
    Rule(
        "page limit",
        Harm.CRASH,
        TR5,
        (ORIGINAL,),
        "the original game has memory for 60 texture pages. Use fewer pages",
        None,
    ),
    Rule(
        "level settings",
        Harm.CRASH,
        TR5,
        (ORIGINAL, "OpenTomb"),
        N_("the original game does not know its weather or Lara's outfit. Choose others in the panel Level"),
        _settings,
    ),
    Rule(
        "end of file",
        Harm.COSMETIC,
        TR1 | TR2 | TR3,
        (TR_RANDO, CROFTENGINE),
        N_("TR-Rando does not open the level: there are bytes after its last section"),
        _end,
    ),
    Rule(
        "bright palette",
        Harm.WRONG,
        TR1,
        ("OpenLara", TRX),
        N_("OpenLara and TRX show dark colors: colors of its palette are above 63"),
        _bright_palette,
    ),
    Rule(
        "black entry",
        Harm.WRONG,
        TR3,
        (ORIGINAL,),
        N_("the original game paints wrong colors: its palette has no black"),
        _black,
    ),
    Rule(
        "page forms",
        Harm.MISSING,
        TR2 | TR3,
        (ORIGINAL, TRX),
        N_("engines show no pictures: every texture page has to exist with 8 and with 16 bits"),
        _page_forms,
    ),
)
