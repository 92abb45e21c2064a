"""Animations, in the scene actions of a model's armature."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .changes.chains import is_playing, length
    from .changes.layers import action_in_use, drop_unused_tracks, layered_action
    from .changes.transitions import next_of, set_target, target_of
    from .keys.boxes import box_at, edit_boxes, edited_boxes, fit_boxes, key_frame_at, key_frames
    from .keys.ranges import first_frame, last_frame
    from .names import game_of_action, known_names, rename_event
    from .new_actions import claim_new_action
    from .showing import animated_model, listed_animations, own_animations, show_animation, show_in_range
else:
    __getattr__ = lazy_exports(__name__)
