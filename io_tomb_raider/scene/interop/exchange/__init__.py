"""Exchange of models, static meshes and rooms with other programs."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .files import add_exporters, export, write
    from .preparing import PrepareOptions, prepare
    from .skin_parts import split_skin
    from .skins import make_skin, use_as_skin
    from .split import split_by_bones
    from .whole import prepare_level
else:
    __getattr__ = lazy_exports(__name__)
