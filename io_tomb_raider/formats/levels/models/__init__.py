"""Models: mesh trees and bounding boxes (chapters 5.4 and 6.2)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .bounding import enclosing_box, posed_boxes
    from .mesh_trees import MeshTree, encode_mesh_tree, tree_flags
    from .order import has_order, sort_models
else:
    __getattr__ = lazy_exports(__name__)
