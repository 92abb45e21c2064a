"""Object files of level editors."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
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
    from .wad2.lua import lua_properties, put_lua_properties
    from .wad2.put import AnimationPlace
    from .wad2.wad2 import read_wad2
else:
    __getattr__ = lazy_exports(__name__)
