"""Skins: meshes of whole models that bones bend."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .skins import skinned_model, skins_of
else:
    __getattr__ = lazy_exports(__name__)
