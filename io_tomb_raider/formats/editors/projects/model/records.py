"""The state of reading and writing projects, and how their chunks are written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

from ....base.bytes.chunks import ChunkWriter
from ....base.errors import FormatError
from ....base.messages import T
from ....base.schema import chunks
from .objects import PlacedObject
from .shape import RoomShape

# The bytes of the sizes of chunks, as today's Tomb Editor writes them.
WRITER = ChunkWriter(
    leaves={
        **dict.fromkeys(("TeTextureSounds", "TeTextureBumpmaps", "TeFly", "TeMergeStaticsEntry3"), 4),
        "TeDefaultTextures": 10,
        **dict.fromkeys(("TePalette", "TeMemo2"), 3),
        **dict.fromkeys(
            ("TeFrame", "TeMov4", "TeMovTen2", "TeSta3", "TeStaTen2", "TeLig5", "TeGhost2", "TeVolume4"), 2
        ),
        **dict.fromkeys(("TeMovTn3", "TeStaTn3"), 2),
        **dict.fromkeys(
            ("TePorMirror", "TeCam3", "TeCamTen", "TeSpr3", "TeSin", "TeSinTen", "TeSoundRealFinal"), 1
        ),
        **dict.fromkeys(("TeSoundTen", "TeTa", "TeTi", "TeEx", "TePl"), 1),
    },
    parents={
        **dict.fromkeys(("TeSettings", "TeRooms", "TeRoom", "TeObjects", "TeWads", "TeSoundsCatalogs"), 10),
        **dict.fromkeys(("TeSelectedSounds", "TeTextures", "TeImportedGeometries"), 10),
        **dict.fromkeys(("TeAnimatedTextureSets", "TeGlobalEventSets", "TeVolumeEventSets"), 10),
        "TeMergeStatics": 3,
        "TeTri3": 2,
        "TeAlternate": 1,
    },
    grows=True,
)


@dataclass
class ProjectContext(chunks.Context):
    """The state of reading or writing one project. Damaged parts become problems."""

    tomb_engine: bool = False  #: whether the project is for TombEngine.
    part: str = "TeSettings"  #: the part that is read, for problems.
    problems: list[str] = field(default_factory=list)  #: chunks that could not be decoded.
    #: by name and class, the objects in chunks with unknown names, which were read as objects of that class.
    unknown: Counter[tuple[str, type[PlacedObject]]] = field(default_factory=Counter)
    size: tuple[int, int] = (0, 0)  #: the numbers of x and z sectors that the room has in the file.
    #: by the size of a room and the content of its list, its sectors.
    shapes: dict[tuple[tuple[int, int], bytes], RoomShape] = field(default_factory=dict)
    #: the number of a room in the file, if another room has it.
    raw_numbers: dict[int, int] = field(default_factory=dict)

    writer: ClassVar[ChunkWriter] = WRITER

    def silent(self) -> ProjectContext:
        return ProjectContext(self.tomb_engine)

    def report(self, error: FormatError) -> None:
        text = T("a part of {part} is damaged and stays as it is ({error})", part=self.part, error=str(error))
        self.problems.append(text)
