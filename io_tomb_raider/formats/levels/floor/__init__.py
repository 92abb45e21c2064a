"""Floor data (documentation, chapter 4): the words of all sectors, decoded, edited and written."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .editing import edit, rebuild
    from .extra import EXTRA_MOVE, EXTRA_ONCE, EXTRA_TIMER
    from .floor_data import PARAMETER_LIMIT, Functions, parse
    from .functions import (
        CLIMB_SIDES,
        TRIGGER_REST,
        TRIGGER_TIMER,
        Action,
        ActionType,
        Function,
        FunctionType,
        Portal,
        Trigger,
        TriggerType,
        actions_of,
        last_trigger_type,
    )
    from .grammar import REFERRING_TRIGGERS, Rules
    from .lists import FloorLists, camera_uses, joined_indices, sector_indices, wall_of
    from .remapping import remap
else:
    __getattr__ = lazy_exports(__name__)
