"""Pictures of a level, rendered without a window."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .models import render_models
    from .overview import render_overview
    from .pieces import PiecePictures
    from .rooms import render_rooms
else:
    __getattr__ = lazy_exports(__name__)
