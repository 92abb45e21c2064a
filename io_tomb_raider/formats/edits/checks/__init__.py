"""Checks for problems that a level causes in its game: pure functions from levels to findings."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .check import NEW_ONLY, check_level, weigh
    from .floors import APART, heights_at
    from .inhabitants import SHINE
    from .originals import check_originals, is_original
    from .rooms import INSIDE_OUT
    from .seams import GAP, TURNED, WIDEST, find_seams
    from .standing import move_lara
    from .triggers import Fault, find_faults
    from .ways import ALONE, DOUBLED, LOST, WRONG_WAY
else:
    __getattr__ = lazy_exports(__name__)
