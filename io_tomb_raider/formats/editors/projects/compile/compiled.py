"""Compiled projects: the level, where its parts come from, and its summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ....base.arrays.typing import Ints
from ....base.messages import T, about, plural
from ....base.targets import Target
from ....edits.rules.limits import check_limits
from ....levels.level.level import Level
from ....levels.level.level_pages import page_count
from ....levels.textures.animated import decode_animated
from ....levels.views.decoded import Decoded
from ....levels.views.findings import Severity
from .plan.log import Log
from .plan.paths import MissingFile
from .rooms.imported import ImportedFaces


@dataclass
class Origin:
    """Where the parts of a compiled level come from."""

    rooms: list[int] = field(default_factory=list)  #: by room, the number of the project's room.
    #: quads, triangles: by room, (n, 2) sector and face of each face; -1 for merged static meshes and
    #: imported geometry.
    quads: list[Ints] = field(default_factory=list)
    triangles: list[Ints] = field(default_factory=list)
    #: entities, ai_objects, cameras, flybys, sounds: the numbers of their objects in the project.
    entities: list[int] = field(default_factory=list)
    ai_objects: list[int] = field(default_factory=list)
    cameras: list[int] = field(default_factory=list)
    flybys: list[int] = field(default_factory=list)
    sounds: list[int] = field(default_factory=list)
    #: statics, lights: the same by room; of lights the game's list, then its fog bulbs.
    statics: list[list[int]] = field(default_factory=list)
    lights: list[list[int]] = field(default_factory=list)
    #: by room, the faces of its imported geometry; objects without faces are left out.
    imported: list[list[ImportedFaces]] = field(default_factory=list)
    #: by room and sector (z, x), the numbers of the triggers in order.
    triggers: list[dict[tuple[int, int], tuple[int, ...]]] = field(default_factory=list)
    #: the animated set of each animated texture, -1 for those of object files.
    animations: list[int] = field(default_factory=list)
    #: (k, 8) what texture pages show: page, left, top, width, height, and the number of a texture of the
    #: project with left and top in its image.
    areas: Ints = field(default_factory=lambda: np.zeros((0, 8), np.int64))


@dataclass
class Compiled:
    """A compiled project."""

    level: Level
    origin: Origin  #: where its parts come from.
    log: Log  #: lines with counts and warnings.
    missing: list[MissingFile] = field(default_factory=list)  #: the files that were not found.

    def report(self, problems: Iterable[str], engine: Target, triggers: int) -> None:
        """Log problems of the project's files, exceeded limits of the engine, and counts.

        `triggers`: the number of sectors with triggers.
        """
        level, log = self.level, self.log
        for problem in problems:
            log.warn(problem)
        for missing in self.missing:
            log.warn(about(missing.path, T("the file was not found ({use})", use=missing.use)))
        for finding in check_limits(Decoded(level, engine)):
            if finding.severity is not Severity.INFO:
                log.warn(finding.text)
        faces = sum(len(room.quads) + len(room.triangles) for room in level.rooms)
        animated = len(decode_animated(level.animated_textures).groups)
        log.info(plural("{count} room", "{count} rooms", len(level.rooms)))
        log.info(plural("{count} face", "{count} faces", faces))
        log.info(plural("{count} object texture", "{count} object textures", len(level.object_textures)))
        log.info(plural("{count} animated texture", "{count} animated textures", animated))
        log.info(plural("{count} texture page", "{count} texture pages", page_count(level)))
        log.info(plural("{count} entity", "{count} entities", len(level.entities)))
        log.info(plural("{count} box", "{count} boxes", len(level.boxes)))
        log.info(plural("{count} sector with triggers", "{count} sectors with triggers", triggers))
