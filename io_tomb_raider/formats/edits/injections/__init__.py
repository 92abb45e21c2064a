"""Tools for injections of TRX: making, applying, merging."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .addons import OutfitModels, addon_text, make_addon, outfit_text
    from .apply import Problem, apply_injection
    from .apply_data import catalog_slot
    from .correspondence import ElementNumbers
    from .edits import count_edits, counts, edits_of, has_level_data, key_of, new_items, only, tagged, without
    from .fit import Fitting, read_for_level
    from .following import Followed, follow, put_openings
    from .make import make_injection
    from .merge import after_new_items, merged
    from .readers import check_block, remarks
else:
    __getattr__ = lazy_exports(__name__)
