"""Single animations as files: ``.anim`` of WadTool and ``.trw`` of WADMerger."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .animation import (
        COMMAND_NAMES,
        DEFAULT_NAME,
        AnimationFile,
        Blending,
        FileCommand,
        FileDispatch,
        FileStateChange,
        same_numbers,
    )
    from .files import (
        ANIM,
        ANIMATION_SUFFIXES,
        TRW,
        is_animation_file,
        number_in_name,
        numbered_name,
        read_animation,
        write_animation,
    )
    from .game import (
        FileSpeeds,
        command_of,
        frame_of,
        keys_of,
        length_of,
        merge_commands,
        merge_keys,
        new_file,
        speeds_of,
        velocities_of,
    )
else:
    __getattr__ = lazy_exports(__name__)
