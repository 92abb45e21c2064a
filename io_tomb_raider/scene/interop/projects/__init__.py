"""Projects of level editors."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .files import resources_of
    from .imports import compile_target, has_known_target, import_project_steps
    from .project import check_edited, compile_edited_steps, export_project_steps, notes_of
    from .status import details, is_project, missing_of, parts_of
else:
    __getattr__ = lazy_exports(__name__)
