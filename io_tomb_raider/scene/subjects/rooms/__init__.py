"""Rooms: meshes, numbers, parts, and which room an object is in."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .flipping import ALL, flip_groups, is_flipped, show_flipped
    from .location.inhabitants import own_room
    from .location.scene_rooms import SceneRooms
    from .parts import join_back, join_to_room
    from .snapping import snap_along, snap_to_grid
    from .vertex_effects import active_attributes, change_attributes, selected_vertices, set_strength
else:
    __getattr__ = lazy_exports(__name__)
