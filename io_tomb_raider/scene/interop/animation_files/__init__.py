"""Single animations as files: their import onto models, and their export."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .exports import export_animations, write_files
    from .imports import LoadedFile, Placement, check_bones, import_files, load_file
else:
    __getattr__ = lazy_exports(__name__)
