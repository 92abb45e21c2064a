"""Check of a level in the scene, by an export without a file."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .check import check_scene
    from .inhabitants import check_with_roles
    from .injection_files import notes_of_files
    from .notes import (
        Note,
        clear,
        keep,
        keep_export,
        kinds_of,
        objects_of_note,
        of_error,
        of_report,
        text_of,
    )
else:
    __getattr__ = lazy_exports(__name__)
