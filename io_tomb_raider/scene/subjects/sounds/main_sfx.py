"""Export of MAIN.SFX with replaced and new samples of the levels of the scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.types import Collection, Sound, Speaker

from ....formats.base import read_file
from ....formats.levels.sounds import read_main_sfx
from ...core import original
from ...core.context import ExportContext
from ...core.membership import LevelObjects, is_level, members_of
from ...core.reporting.report import Report
from ...core.space import Space
from ...core.subjects import Kind
from .files import SoundFile, export_sound_file, is_same_file, note_as_written
from .sounds import SoundExport
from .waves import note_place


class MainSfxExport:
    """One export of MAIN.SFX."""

    def __init__(self, source: Path) -> None:
        """Make the file in memory from the one that the levels use.

        Raises:
            ExportError: where a sound does not fit the game, or two sounds have the same number.
            FormatError: where the file is damaged.
            OSError: where it cannot be read.
        """
        self.source = source
        self._placed: list[tuple[Any, int]] = []
        #: the levels whose samples got new numbers, so that they have to be exported, too.
        self.renumbered: list[Collection] = []
        self._levels = [root for root in bpy.data.collections if _uses_file(root, source)]
        self._count = len(read_main_sfx(read_file(source)))
        new: dict[int, tuple[Sound | None, bytes]] = {}
        for root in self._levels:
            self._plan(root, new)
        self.written: SoundFile = export_sound_file(source, new)  #: the file, and the replaced sounds.

    def _plan(self, root: Collection, new: dict[int, tuple[Sound | None, bytes]]) -> None:
        """Number new samples of a level, and add them to ``new``."""
        decoded = original.load(root)
        if decoded is None:
            return
        first = root.tomb_raider.sounds.main_sfx_count = self._count
        space = Space.of(root)
        level, objects = decoded.level.copy(), LevelObjects(root)
        export = SoundExport(ExportContext(root, decoded, level, space, Report(), objects))
        export.run()
        for number, wave in export.main_sfx.items():
            if number >= first:  # export_sound_file finds changed sounds among the others
                new[number] = (None, wave)
                self._count = max(self._count, number + 1)
        self._placed += export.placed
        if export.placed:
            self.renumbered.append(root)

    def note(self, target: Path) -> None:
        """Store the written file on sounds and levels of the scene."""
        note_as_written(self.written, self.source, target)
        copies: dict[Sound, Sound] = {}
        for slot, number in self._placed:
            sound, tag = slot.sound, slot.sound.tomb_raider
            if tag.kind != "NONE" and (tag.kind, tag.number) != ("MAIN_SFX", number):
                original_sound = sound
                sound = slot.sound = copies[original_sound] = sound.copy()  # the file has it twice
            note_place(sound, "MAIN_SFX", number, str(target))
            slot.sample = -1
        for root in self._levels:
            for obj in members_of(root, Kind.SOUND_SOURCE):
                if isinstance(obj.data, Speaker):
                    played = obj.data.sound
                    obj.data.sound = played if played is None else copies.get(played, played)
            root.tomb_raider.sounds.main_sfx = str(target)
            root.tomb_raider.sounds.main_sfx_count = self._count


def _uses_file(root: Collection, path: Path) -> bool:
    settings = root.tomb_raider
    has_sounds = is_level(root) and "SOUNDS" in settings.imported
    return has_sounds and is_same_file(settings.sounds.main_sfx, path)
