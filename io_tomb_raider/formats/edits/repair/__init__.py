"""Repair of damaged levels."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .changes import Repair
    from .kinds import DEFAULT, KINDS
    from .repair import repair_level
else:
    __getattr__ = lazy_exports(__name__)
