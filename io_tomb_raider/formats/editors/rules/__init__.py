"""Requirements of Tomb Editor for projects, of its loader and of its compiler."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .rules import check_project
else:
    __getattr__ = lazy_exports(__name__)
