"""Shared parts of all formats: bounded reading, declarative layouts, records, and splicing."""

from typing import TYPE_CHECKING

from .lazy import lazy_exports

if TYPE_CHECKING:
    from .arrays.columns import Columns
    from .arrays.distinct import distinct_rows
    from .arrays.typing import AnyFloats, Bools, Floats, Ints, Pixels, Records
    from .bytes.bits import Bits, count_differing, join_records, put, signed, unsigned
    from .bytes.colors import (
        DARKEST,
        FULL_RGB555,
        NEUTRAL_SHADE,
        NEUTRAL_TINT,
        alpha_of,
        argb_to_bytes,
        bytes_to_argb,
        bytes_to_rgb555,
        gray_to_light,
        light_to_gray,
        put_tint,
        rgb555_to_bytes,
        split_tint,
    )
    from .bytes.files import file_content, name_key, read_file, replace_file
    from .bytes.inflate import STORED_STREAMS, inflate_whole
    from .bytes.records import (
        AI_OBJECT,
        CAMERA,
        CINEMATIC_FRAME,
        ENTITY,
        FLYBY_CAMERA,
        FOG_BULB_TR5,
        I16,
        I32,
        LAYER_TR5,
        MESH_QUAD,
        MESH_TRIANGLE,
        OBJECT_TEXTURE_RECORD,
        PORTAL,
        QUAD,
        ROOM_LIGHT,
        ROOM_QUAD,
        ROOM_SPRITE,
        ROOM_STATIC,
        ROOM_TRIANGLE,
        ROOM_VERTEX,
        SOUND_DETAILS,
        SOUND_MAP_SIZE,
        SOUND_SOURCE,
        SPRITE_SEQUENCE,
        STATIC_MESH,
        TRIANGLE,
    )
    from .errors import ExportError, TextError
    from .games import LARA, Game, SamplePlace, Traits
    from .messages import (
        N_,
        T,
        Text,
        about,
        as_message,
        joined,
        outline,
        pack,
        plural,
        unpack,
        without_subject,
    )
    from .schema.fields import Record
    from .targets import (
        MOST_ROOMS,
        PROJECT_TARGETS,
        Limits,
        Target,
        flyby_game,
        limits_of,
        sector_game,
    )
    from .texts import plain_text
    from .units import CLICK, SECTOR_SIZE, TURN
else:
    __getattr__ = lazy_exports(__name__)
