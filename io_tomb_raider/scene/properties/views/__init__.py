"""Views: properties that show others in a handier form, without stored values."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .named import catalogue_in
else:
    __getattr__ = lazy_exports(__name__)
