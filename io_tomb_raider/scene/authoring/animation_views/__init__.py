"""Views of animations: ghosts, tick preview, treadmill, and the graph of a model's states."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .body import seen_armature
    from .ghosts import GhostMaker, dropped_keys, triangles_of
    from .state_graph import fill, is_outdated, make_tree, set_focus
    from .timeline import Belt, Timeline
    from .treadmill import grid_lines
else:
    __getattr__ = lazy_exports(__name__)
