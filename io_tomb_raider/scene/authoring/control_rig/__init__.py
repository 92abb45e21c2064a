"""Control rigs: bones and constraints in a model's own armature that pose its limbs by hands and feet."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .baking import bake, key_frames, snap_to_controls
    from .build import add_rig
    from .keys import KeyWriter, has_keys
    from .match import RigAtRest, rig_actions, switch_new_action, switch_off, uses_controls
    from .parts import SWITCH, Part, RigLimb, figure_of, has_rig, rig_limbs
    from .remove import remove_rig
else:
    __getattr__ = lazy_exports(__name__)
