"""Lights of rooms (documentation, chapter 3.2.4)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .baking import (
        NORMAL,
        BakedLight,
        ambient_brightness,
        arriving,
        bake,
        baked_light,
        brightness_for,
        facing,
        pack_gray,
        pack_light,
        pack_tint,
        packed_light,
        shown_light,
    )
    from .fog import Bulb, bulb_of, distance_range
    from .lights import (
        FOG,
        POINT,
        SHADOW,
        SPOT,
        SUN,
        Values,
        decode_light,
        encode_light,
        is_placeholder,
        kind_of,
        light_columns,
        new_light,
        put_integer_position,
        reach_field,
        rows_of,
        type_of,
    )
    from .shading import (
        EXPONENT_TR3,
        LAMPS,
        Lamp,
        LightSource,
        Shading,
        Triple,
        absorbed,
        room_brightness,
        shade_by_value,
        shade_entity,
        sky_brightness,
        source_of,
        texture_factor,
    )
else:
    __getattr__ = lazy_exports(__name__)
