"""Meshes (documentation, chapter 5)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .meshes import Mesh, MeshBlock, bounding_sphere, decode_meshes, encode_block, encode_mesh
else:
    __getattr__ = lazy_exports(__name__)
