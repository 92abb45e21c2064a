"""Object files of level editors, which models of a level are written to."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .files import write_objects
    from .numbers import OWN
    from .put import put_animation_into, put_model_into
else:
    __getattr__ = lazy_exports(__name__)
