"""Collision of sectors as meshes."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .display import show_rounding, shows_rounding
    from .edit import CollisionEdit
    from .follow import MeshFollower
    from .record import ROUNDING
    from .size import resize
    from .tools import (
        close,
        divide,
        flatten,
        make_floors,
        make_walls,
        open_to,
        raise_surfaces,
        set_climbable,
        set_mark,
        set_material,
    )
else:
    __getattr__ = lazy_exports(__name__)
