"""Requirements of engines and editors beyond the format."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .limits import CHECK, STATIC_MESHES, check_limits, shown_target, target_of
else:
    __getattr__ = lazy_exports(__name__)
