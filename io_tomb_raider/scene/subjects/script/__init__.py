"""Objects of a level that its script places (TR4, TR5; documentation, chapter 12.1.6)."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .script import script_kinds
else:
    __getattr__ = lazy_exports(__name__)
