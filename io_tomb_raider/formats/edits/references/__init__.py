"""References between the records of a level: their declaration, and all edits that follow from it."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .comparison import Difference, differences
    from .renumbering import sort
else:
    __getattr__ = lazy_exports(__name__)
