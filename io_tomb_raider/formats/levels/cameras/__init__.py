"""Fixed cameras, sinks, and the flight of flyby cameras (documentation, chapters 9.5, 9.6)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .fixed import find_sinks
    from .sequences import order_with
    from .splines import CUT_TARGET, cuts, fly, looks_at_lara, tracks_entity
else:
    __getattr__ = lazy_exports(__name__)
