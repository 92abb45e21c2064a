"""The sound of a cutscene: a strip of Blender's sequencer, in step with the frames.

The files of the games have the number of a track only. TR4 has a file for each track, and levels for its
editors name files by the numbers of tracks.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Collection, Scene

from ....formats import ExportError, Game
from ....formats.base import T
from ...core.blender import compat
from ...core.membership import level_holding

_FOLDER = "audio"  # beside the folder of the levels, or in it
_KINDS = {".wav", ".ogg", ".mp3", ".flac"}
# The numbers that the names of the files begin with, by track
_TRACK_FILES = {
    Game.TR4: ""
    "44 8 100 10 15 73 109 42 43 30 12 11 63 14 111 25 23 6 24 110 20 34 54 36 4 35 27 53 22 28 3 1 "
    "41 57 18 64 33 31 32 16 65 40 112 29 7 13 9 81 85 71 95 61 50 58 5 45 60 55 59 68 76 19 2 66 67 "
    "38 88 17 26 56 21 96 87 91 86 51 78 92 83 49 37 97 89 94 98 48 70 93 72 74 69 52 84 99 47 80 90 "
    "46 62 79 82 75 105 77 39 108 107 101 102 104 106 103 ",
}
_NUMBER = re.compile(r"(\d{1,3})(?!\d)(.*)", re.DOTALL)


def strip_name(cutscene: Collection) -> str:
    """Return the name of the strip of a cutscene's sound."""
    return f"{cutscene.name} Sound"


def set_sound(scene: Scene, cutscene: Collection, path: str, first: int) -> Any:
    """Have a sound file play with a cutscene, and the scene keep its playback in step with it.

    A sound that the cutscene has is replaced, and keeps its start.

    Args:
        path: of the file.
        first: the frame at which it starts, if the cutscene has no sound yet.

    Returns:
        The strip.

    Raises:
        ExportError: if there is no such file, or Blender cannot play it.
    """
    strips, name = compat.strips_of(scene), strip_name(cutscene)
    if not _can_play(path):
        raise ExportError(Path(path).name, T("it is no sound that Blender can play"))
    sound = bpy.data.sounds.load(path, check_existing=True)
    old = strips.get(name)
    channel = 1
    if old is not None:
        first, channel = round(compat.strip_start(old)), old.channel
        strips.remove(old)
    else:
        channel = 1 + max((each.channel for each in strips), default=0)
    strip = strips.new_sound(name, sound.filepath, channel, first)
    strip.name = name
    scene.sync_mode = "AUDIO_SYNC"
    scene.render.fps, scene.render.fps_base = 30, 1.0
    return strip


def _can_play(path: str) -> bool:
    """Return whether Blender can play a file; true if it was built without sound."""
    try:
        aud: Any = import_module("aud")
    except ModuleNotFoundError:
        return True
    try:
        return bool(aud.Sound(path).specs)
    except aud.error:
        return False


def find_audio(cutscene: Collection) -> Path | None:
    """Return the game's sound file of the track of a cutscene, beside its level, or None."""
    level, track = level_holding(cutscene), cutscene.tomb_raider.cutscene.audio_track
    if level is None or track < 0 or not level.tomb_raider.folder:
        return None
    folder = Path(bpy.path.abspath(level.tomb_raider.folder))
    files = [file for place in (folder, folder.parent) for file in _audio_files(place)]
    wanted, named = [(track, False)], _TRACK_FILES.get(Game[level.tomb_raider.game], "").split()
    if track < len(named):
        wanted.insert(0, (int(named[track]), True))
    for number, is_named in wanted:
        for file in files:
            match = _NUMBER.fullmatch(file.stem)
            if match is not None and int(match[1]) == number and bool(match[2]) == is_named:
                return file
    return None


def _audio_files(place: Path) -> list[Path]:
    try:
        folders = [each for each in place.iterdir() if each.name.lower() == _FOLDER and each.is_dir()]
        files = [file for folder in folders for file in sorted(folder.iterdir())]
    except OSError:
        return []
    return [file for file in files if file.suffix.lower() in _KINDS]
