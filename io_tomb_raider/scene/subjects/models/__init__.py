"""Models as armatures with rigid meshes."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .bones import is_actor, library_model, own_bones
    from .editing import (
        armature_of_model,
        close_model,
        entities_of,
        open_model,
        posed_armature,
        shows_model,
        to_library,
    )
    from .mesh_tools import (
        has_normals,
        hide_backs,
        hide_only_backs,
        recalculate_normals,
        recalculate_sphere,
        set_own_light,
    )
    from .models import show_bones
    from .seams import refuse_to_shine
else:
    __getattr__ = lazy_exports(__name__)
