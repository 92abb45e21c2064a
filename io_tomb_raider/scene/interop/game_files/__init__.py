"""Files next to levels: scripts, strings and images."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .gameflow import read_entry, update_files, write_entry
    from .pictures import export_picture, import_picture
    from .script_entry import write_script_entry
    from .scripts import export_script, import_script, write_back
else:
    __getattr__ = lazy_exports(__name__)
