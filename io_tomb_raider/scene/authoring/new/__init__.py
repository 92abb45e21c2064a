"""New objects of a level: the available choices, their place, and the objects themselves."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .cameras import add_object
    from .dropping import drop_to_floor
    from .free_place import Side, side_towards
    from .objects import WithTrigger, add, choices
    from .place import spot_at
    from .room import add_room
    from .triggers import ACTIONS_ON, add_trigger
else:
    __getattr__ = lazy_exports(__name__)
