"""Content digests, by which libraries identify equal pieces of many levels."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .content import Contents
else:
    __getattr__ = lazy_exports(__name__)
