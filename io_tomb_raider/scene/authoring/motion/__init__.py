"""Motions of other skeletons for models of a level: retargeting, loops, and feet on the ground."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .bringing import (
        NoBonesError,
        RetargetOptions,
        animated_model,
        animation_in_use,
        chosen_bones,
        fill_bones,
        retarget_action,
        retarget_all,
    )
    from .feet import plant_feet
    from .files import read_motions
    from .footsteps import set_footsteps
    from .ground import contacts, hold_on_ground, key_ground, plant_on_ground
    from .keys import TIGHT
    from .loops import find_loop, make_loop
    from .paths import PathKind
    from .sampling import actions_played, plain_name
    from .stance import Forward, Rest
    from .ticks import Ticks
else:
    __getattr__ = lazy_exports(__name__)
