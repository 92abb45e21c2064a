"""New levels that come from no file."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .example import open_example
    from .new import new_level
else:
    __getattr__ = lazy_exports(__name__)
