"""Triggers, shown as boxes on their sectors."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .numbers import TimerMeaning, has_names, timer_meanings
    from .trng import (
        LabeledValue,
        condition_parameter,
        condition_value,
        first_value,
        is_condition,
        is_trng,
        object_names,
        second_value,
    )
    from .values import NUMBER_LABELS, TARGET_ACTIONS, Item, action_items, refers
else:
    __getattr__ = lazy_exports(__name__)
