"""Control rigs: bones and constraints in a model's own armature that pose its limbs by hands and feet."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .actors import limbs_owner, take_bones
    from .baking import bake, key_frames, snap_to_controls
    from .build import add_rig
    from .keys import KeyWriter, has_keys, selected_keys
    from .match import RigAtRest, rig_actions, switch_new_action, switch_off, uses_controls
    from .parts import LOOK, SPACE, SWITCH, RigLimb, RigPart, figure_of, has_rig, rig_bone, rig_limbs
    from .remove import remove_rig
    from .space_keys import Hold, change_space, match_at, set_look, spaces_at
    from .spaces import add_object, add_space, followed_bones, space_choices
else:
    __getattr__ = lazy_exports(__name__)
