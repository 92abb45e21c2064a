"""Fixed cameras, sinks and flyby cameras."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .behind import camera_behind, orbit_distance
    from .first_eye import first_sight
    from .preview import preview_flyby
else:
    __getattr__ = lazy_exports(__name__)
