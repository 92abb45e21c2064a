"""Names for the numbers of models, sprites, sounds, animations and other elements.

Names are for people. No code requires names to be known, unique or stable: an unknown element gets a name
made of its number. The data are in this folder, one text file per game.
"""

from typing import TYPE_CHECKING

from ..formats.base import lazy_exports
from .names import Catalogue, names, unnamed

if TYPE_CHECKING:
    from .bone_names import ARM, LEG, SIDES, BoneRole, LimbBone, ancestors, find_bones
    from .companion_models import companions
    from .equivalents import equivalent, equivalent_state, is_sprite, listed_numbers
    from .names import Catalogue
    from .outfits import (
        BODY,
        DRAWN,
        DULL_JOINTS,
        HAIR,
        HEAD,
        HOLSTER_MESHES,
        HOLSTERS,
        JOINTS,
        ON_BACK,
        SKINS,
        WELDED,
        outfit,
    )
    from .pickups import is_pickup, named_item
    from .roles import (
        Role,
        acts_untriggered,
        carries,
        has_fixed_place,
        is_of_sector,
        is_off_wall,
        is_on_floor,
        is_on_wall,
        is_under_water,
        role_of,
    )
    from .standing import idle_animation
    from .terms import BLEND_MODES, FOG_COLORS, FOG_NAMES
    from .trng_numbers import Effect, Meaning, effect_names, trng
    from .trx import is_known
else:
    __getattr__ = lazy_exports(__name__)


__all__ = ["Catalogue", "names", "unnamed"]
