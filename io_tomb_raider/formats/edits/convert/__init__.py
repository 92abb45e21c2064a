"""Conversion of values to another game, subject by subject."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .flags import (
        ai_object_flags,
        camera_flags,
        collision_flags,
        entity_flags,
        flags_of_ai_object,
        flyby_flags,
        is_active,
        is_invisible,
        is_walked_through,
        static_mesh_flags,
        vertex_flags,
    )
    from .lights import light_values_of, neutral_light
    from .pages import PageImages, level_of_pages
    from .rooms import entity_light, mesh_light, placed_light, room_flags, room_light
    from .samples import convert_samples, store_samples
    from .sectors import converted_sectors
    from .triggers import flips_rooms, supports_action, timer_of, trigger_type
else:
    __getattr__ = lazy_exports(__name__)
