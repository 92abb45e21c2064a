"""Rooms (documentation, chapter 3): records and geometry."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .effects import (
        CHOSEN,
        NEUTRAL,
        STRENGTH,
        UNSET,
        attribute_word,
        attribute_words,
        changed_attributes,
        effect_bits,
        has_strength,
        new_attributes,
        surface_scheme,
        water_motion,
    )
    from .geometry import (
        FaceSet,
        decode_faces,
        decode_rooms_faces,
        encode_faces,
        encode_layers,
        vertex_layers,
    )
    from .portals import LevelPortals, find_portals
    from .rooms_tr5 import new_header
else:
    __getattr__ = lazy_exports(__name__)
