"""Append of pieces of other files to a level, with their dependencies."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .appending import append
    from .blend import level_of_blend
    from .deleting import delete_level
    from .from_file import OUTFIT, replace_from_file
    from .replace import fit_mesh, replace_model
else:
    __getattr__ = lazy_exports(__name__)
