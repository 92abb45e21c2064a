"""Import, export and check of a whole level: the subjects in their order."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .exporter import export_level, exported_object_textures
    from .importer import import_level, import_steps
    from .start_up import remove_factory_objects
else:
    __getattr__ = lazy_exports(__name__)
