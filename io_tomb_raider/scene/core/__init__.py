"""Shared by all subjects: contexts, the original, units, colors, reports, and Blender's versions."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .blender.compat import clear_at_exit
    from .blender.handler_suspension import handlers_active
    from .context import Bake, ImportOptions
    from .level_visibility import has_part, is_shown, reveal, show_part
    from .membership import (
        LevelObjects,
        collision_of,
        is_for_trx,
        is_level,
        is_local,
        level_of,
        levels,
        members,
        members_of,
        require_local,
    )
    from .original import load, pack_for_saving
    from .reporting.progress import Work, finish
    from .reporting.report import Report, first_few, storable
    from .reporting.results import ExportResult
    from .space import DEFAULT_SCALE, SCALES, Space, angle_to_file, world_matrix
    from .stored import check_level
    from .subjects import OF_ROOMS, OPTIONS, Kind
    from .targets import chosen_target, limits_of_level, sector_game_of_level
else:
    __getattr__ = lazy_exports(__name__)
