"""Tools that edit the keys of whole animations: mirrored, retimed, reversed, smoothed, split."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .batch import fix_names_and_ends, replace_events
    from .clip import follows_itself, loop_frames, model_of, read_clip
    from .copies import copy_animation
    from .layers import add_layer, bake_layer, key_rest, remove_layer
    from .loops import close_loop, note_seams, refresh_seams
    from .mirroring import mirror
    from .placing import play_animation
    from .posed import forget_poses, note_pose, pack_pose, unpack_pose
    from .poses import apply_pose, pose_at
    from .retiming import retime
    from .shaping import resample, reverse, smooth
    from .sides import partners_of
    from .splitting import split
    from .spread import spread_edit
else:
    __getattr__ = lazy_exports(__name__)
