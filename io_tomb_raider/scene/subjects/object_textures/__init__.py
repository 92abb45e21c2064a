"""Object textures of faces."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .animation_tools import (
        add_frames,
        add_group,
        move_frame,
        play_on,
        refresh,
        remove_frame,
        remove_group,
    )
    from .tools import (
        make_level_material,
        selected_faces,
        set_additive,
        set_blending,
        set_bump,
        set_double_sided,
        set_group,
        set_palette_color,
        set_shine,
    )
else:
    __getattr__ = lazy_exports(__name__)
