"""Settings and names of a whole level."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .names import relations_in
    from .texture_materials import reload_materials, save_material
else:
    __getattr__ = lazy_exports(__name__)
