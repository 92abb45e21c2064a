"""Animations (documentation, chapter 6.2): key frames, rotations, the state machine, commands."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .animations import (
        EMPTY_HANDS,
        EVENT_FLAGS,
        EVENT_NUMBER,
        FLIP_EFFECT,
        FRAME_COMMANDS,
        JUMP_DISTANCE,
        KILL,
        PLAY_SOUND,
        SET_POSITION,
        AddedAnimation,
        AnimationCommand,
        AnimationReference,
        Dispatch,
        StateChange,
        animation_models,
        decode_commands,
        decode_state_changes,
        fit_ticks,
        model_animations,
        ticks,
    )
    from .closest import closest_angles
    from .edits import edit_animations
    from .frames import Z_AXIS, EncodedKeys, Keys, LevelKeys, encode_all, encode_frames
    from .plan import AnimationEdit, AnimationTables
    from .rotations import (
        angles_from_quaternions,
        continuous_quaternions,
        make_continuous,
        matrices_from_quaternions,
        quaternion_parts,
        quaternions_from_angles,
        round_angles,
    )
else:
    __getattr__ = lazy_exports(__name__)
