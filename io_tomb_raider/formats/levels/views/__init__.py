"""Views of a decoded level as a whole."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .decoded import Decoded
    from .findings import OTHER, THE_LEVEL, Check, Element, Finding, Severity, name_of, run_checks
    from .gaps import Gaps, find_gaps, room_gaps, room_triangles
else:
    __getattr__ = lazy_exports(__name__)
