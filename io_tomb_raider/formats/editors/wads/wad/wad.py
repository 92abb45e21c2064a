"""WAD: the level editor's object files, with models, static meshes and their textures.

Levels of TR4 are made from WADs. The records are those of TR4 levels except for the meshes (see
:mod:`.meshes`), which refer to rectangles of the texture pages (see :mod:`.textures`). The documentation does
not describe it; chapters 5 and 6 describe the records that it shares with levels.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.cursor import Cursor
from ....base.bytes.files import file_content
from ....base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_TR4,
    I8,
    I16,
    I32,
    MODEL,
    STATE_CHANGE,
    STATIC_MESH,
    U8,
    U16,
    U32,
)
from ....base.errors import ExportError
from ....base.messages import T
from ....base.schema.fields import Field, Out, Values
from ....base.schema.sections import Counted, Remainder, join_sections, read_sections
from ....levels.level.layouts import AnimationClaims, MeshData

TEXTURE_SAMPLE = np.dtype(
    [
        ("x", U8),
        ("y", U8),
        ("page", U16),
        ("flip_x", I8),  # -1 except for the first, empty one; unused
        ("width", U8),  # in pixels, minus one
        ("flip_y", I8),
        ("height", U8),
    ]
)

_VERSION = Struct("<I")


@dataclass(frozen=True)
class Version(Field):
    """The file's version, checked against the known ones, as the attribute ``version``."""

    known: tuple[int, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "version"
        (version,) = cursor.fields(_VERSION)
        if version not in self.known:
            expected = " or ".join(map(str, self.known))
            offset, problem = (
                cursor.offset - _VERSION.size,
                T("this is no file of the level editor's objects"),
            )
            raise cursor.error(expected, str(version), offset=offset, problem=problem)
        record["version"] = version

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        if record["version"] not in self.known:
            raise ExportError("version", T("no such version of this file"), count=record["version"])
        out.append(_VERSION.pack(record["version"]))


WAD_VERSIONS = (129, 130)  # 130 allows several models of one id
WAD: tuple[Field, ...] = (
    Version(WAD_VERSIONS),
    Counted("texture_samples", TEXTURE_SAMPLE),
    Counted("page_data", U8),
    Counted("mesh_pointers", U32),
    MeshData(),
    Counted("animations", ANIMATION_TR4),
    Counted("state_changes", STATE_CHANGE),
    Counted("animation_dispatches", ANIMATION_DISPATCH),
    Counted("animation_commands", I16),
    AnimationClaims(),
    Counted("mesh_trees", I32),
    Counted("frames", U16),
    Counted("models", MODEL),
    Counted("static_meshes", STATIC_MESH),
    Remainder("footer"),
)


class Wad:
    """A WAD with one attribute per section.

    Arrays that were read are read-only views of the file's bytes: replace an attribute to edit it. Record
    types are those of TR4 in :mod:`....base.bytes.records`; shapes are (count,).
    """

    version: int  # 129 or 130
    texture_samples: NDArray[np.void]  # TEXTURE_SAMPLE, rectangles of the pages
    page_data: NDArray[np.uint8]  # uint8, rows of 256 pixels of R, G, B; 256 rows to a page
    mesh_pointers: NDArray[np.uint32]  # uint32, bytes into mesh_data
    mesh_data: NDArray[np.uint8]
    animations: NDArray[np.void]
    state_changes: NDArray[np.void]
    animation_dispatches: NDArray[np.void]
    animation_commands: NDArray[np.int16]  # int16
    mesh_trees: NDArray[np.int32]  # int32, four words per node; tools leave words between the models' trees
    frames: NDArray[np.uint16]
    models: NDArray[np.void]
    static_meshes: NDArray[np.void]
    footer: NDArray[np.uint8]  # uint8, all remaining bytes

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read.

        Raises:
            ExportError: if an edited section does not fit the fields of the file.
        """
        return join_sections(WAD, self)


def read_wad(source: str | os.PathLike[str] | bytes) -> Wad:
    """Read a WAD from a file or from its bytes. Only the records are decoded.

    Raises:
        FormatError: if it is not a WAD, or damaged.
        OSError: if the file cannot be read.
    """
    wad = Wad()
    read_sections(WAD, Cursor(file_content(source)), wad)
    return wad
