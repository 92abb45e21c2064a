"""Adoption of objects that users add with Blender's own tools.

Every object, data-block and setting of a level is either exported, or named in a warning with the reason and
a remedy.
"""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .adoption import mark_copies
    from .reconciling import reconcile
else:
    __getattr__ = lazy_exports(__name__)
