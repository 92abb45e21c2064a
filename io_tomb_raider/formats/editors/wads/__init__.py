"""Object files of level editors."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .materials import (
        MAPS,
        STRENGTHS,
        TYPE,
        TYPES,
        edit_material,
        is_material,
        new_material,
        read_material,
    )
    from .object_files import (
        OBJECT_SUFFIXES,
        WAD2,
        ExportedFiles,
        Namer,
        ObjectNames,
        Objects,
        blank_files,
        companion_files,
        is_object_file,
        open_objects,
        put_animation,
        put_model,
        read_files,
        read_objects,
    )
    from .wad2.animations import NO_BLENDING, SAME_FRAME, AnimationExtras
    from .wad2.level import Wad2Level
    from .wad2.lua import lua_properties, put_lua_properties
    from .wad2.put import AnimationPlace
    from .wad2.skins import (
        SkinEdit,
        TexturePath,
        Wad2Extras,
        is_hidden,
        matching,
        pairs_of,
        vertex_pairs,
        weights_of,
    )
    from .wad2.textures import texture_path
    from .wad2.wad2 import TOMB_ENGINE, TR4_OBJECTS, Wad2, read_wad2
else:
    __getattr__ = lazy_exports(__name__)
