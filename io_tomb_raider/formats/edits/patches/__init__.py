"""Patches: the difference between two levels as a text, and its application."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .patch import Patch, PatchResult, apply_patch, make_patch, read_patch
else:
    __getattr__ = lazy_exports(__name__)
