"""CUTSEQ.PAK and CUTSEQ.BIN (documentation, chapter 14)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .cutscenes import (
        ACTOR_SCALE,
        ANGLE_BITS,
        ANGLE_STEP,
        CAMERA_SCALE,
        LARA_NODES,
        MOST_FRAMES,
        Actor,
        Cutscene,
        read_cutscene,
        read_summary,
        to_track,
    )
    from .cutseq import Cutseq, new_cutseq, read_cutseq
    from .pak import PICTURE_KINDS, Pak, decode_picture, encode_picture, read_pak
else:
    __getattr__ = lazy_exports(__name__)
