"""Sound files as packed Blender sounds: MAIN.SFX, CDAUDIO.WAD, and the Macintosh's CDAudio.db.

Every sound stores its file, its number there, and a digest of its bytes. An export reads the file again and
replaces changed sounds, so that all others are the same byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection as Numbers
from dataclasses import dataclass
from pathlib import Path

import bpy
from bpy.types import Sound

from ....catalogue import names
from ....formats import ExportError, FormatError, Game
from ....formats.base import T, read_file
from ....formats.levels.sounds import (
    CD_AUDIO_ENTRY,
    CD_AUDIO_TRACKS,
    WAVE_MARK_SIZE,
    CdAudio,
    MainSfx,
    SoundForm,
    find_waves,
    is_wave,
    read_cd_audio,
    read_cd_audio_directory,
    read_cd_audio_names,
    read_main_sfx,
    track_name,
    usual_form,
    write_cd_audio_names,
)
from ...core import original
from ...core.membership import levels
from ...core.reporting.report import Report
from ...core.reporting.results import Rebuilt
from .file_kinds import FILE_KINDS
from .samples import MAIN_SFX, fit_wave, fitting_wave, sample_names, wave_form
from .waves import bytes_of, digest, make_sound, make_sounds, note_place

_HEAD = CD_AUDIO_ENTRY.itemsize * CD_AUDIO_TRACKS


@dataclass(frozen=True)
class Entry:
    """One sound of a file."""

    number: int
    name: str  #: its name; in MAIN.SFX that of the open level.
    size: int  #: its size in bytes, or 0 for a track whose file is missing.


def kind_of_file(path: Path) -> str:
    """Return the kind of a sound file, one of :data:`~.file_kinds.FILE_KINDS`.

    Raises:
        OSError: where it cannot be read.
    """
    if is_wave(read_file(path, WAVE_MARK_SIZE)):
        return "MAIN_SFX"
    return "TRACK_FILE" if path.suffix.lower() == ".db" else "CD_AUDIO"


def list_entries(path: Path) -> list[Entry]:
    """Return the sounds of a file.

    Raises:
        FormatError: where it is no sound file, or damaged.
        OSError: where it cannot be read.
    """
    kind = kind_of_file(path)
    if kind == "MAIN_SFX":
        spans = find_waves(read_file(path), MAIN_SFX)
        titles = names_in_main_sfx(path)
        return [
            Entry(number, titles.get(number, f"Sound {number}"), span.size)
            for number, span in enumerate(spans)
        ]
    if kind == "CD_AUDIO":
        entries = read_cd_audio_directory(read_file(path, _HEAD), path.stat().st_size)
        return [
            Entry(number, track_name(entry) or f"Track {number}", int(entry["size"]))
            for number, entry in enumerate(entries)
            if entry["size"]
        ]
    result = []
    for number, name in enumerate(read_cd_audio_names(read_file(path))):
        track = track_file(path, name)
        result.append(Entry(number, name, track.stat().st_size if track else 0))
    return [entry for entry in result if entry.name]


def names_in_main_sfx(path: Path) -> dict[int, str]:
    """Return the names of sounds of MAIN.SFX, by number, from levels of the scene.

    Levels that use this file decide, else those of TR2 or TR3 if only one of the games is open.
    """
    eligible = [root for root in levels() if root.tomb_raider.game in ("TR2", "TR3")]
    roots = [root for root in eligible if is_same_file(root.tomb_raider.sounds.main_sfx, path)]
    if not roots and len({root.tomb_raider.game for root in eligible}) == 1:
        roots = eligible
    result: dict[int, str] = {}
    for root in roots:
        decoded = original.load(root)
        if decoded is None or not decoded.level.has("sample_indices"):
            continue
        level = decoded.level
        level_names = sample_names(level, names(level.game))
        for number, name in zip(level.sample_indices.tolist(), level_names, strict=True):
            result.setdefault(number, name)
    return result


def track_file(db: Path, name: str) -> Path | None:
    """Return the file of a track of CDAudio.db: next to it, with or without the extension .wav; or None."""
    if not name:
        return None
    file_names = {name.lower(), f"{name.lower()}.wav"}
    files = sorted(db.absolute().parent.iterdir())
    return next((path for path in files if path.name.lower() in file_names and path.is_file()), None)


def is_same_file(stored: str, path: Path) -> bool:
    """Return whether a path that Blender stores, possibly relative or empty, is that of a file."""
    return bool(stored) and Path(bpy.path.abspath(stored)).absolute() == path.absolute()


# --- Import ----------------------------------------


def import_sound_file(path: Path, numbers: Numbers[int] | None = None) -> tuple[list[Sound], Report]:
    """Make sounds of the entries of a file with some numbers, or of all.

    Raises:
        FormatError: where it is no sound file, or damaged.
        ExportError: where there is no such entry.
        OSError: where it cannot be read.
    """
    report = Report()
    entries = {entry.number: entry for entry in list_entries(path)}
    selected = sorted(entries if numbers is None else set(numbers))
    missing = [number for number in selected if number not in entries]
    if missing:
        raise ExportError(path.name, T("there is no entry {missing}", missing=missing[0]))
    reader = _Reader(path)
    waves = [(entries[number].name, reader.wave(number)) for number in selected]
    sounds = make_sounds(waves)
    for number, (name, _), sound in zip(selected, waves, sounds, strict=True):
        if sound is None:
            report.warn(name, T("this track has no file, so it is left out"))
            continue
        sound.use_fake_user = True  # the scene may not use it
        note_place(sound, reader.kind, number, str(path))
        sound.tomb_raider.title = name
    return [sound for sound in sounds if sound is not None], report


class _Reader:
    """Reads single entries of a file of any kind."""

    def __init__(self, path: Path) -> None:
        self.path, self.kind = path, kind_of_file(path)
        self.main_sfx: MainSfx | None = None
        self.cd_audio: CdAudio | None = None
        self.tracks: list[str] = []
        if self.kind == "MAIN_SFX":
            self.main_sfx = read_main_sfx(read_file(path))
        elif self.kind == "CD_AUDIO":
            self.cd_audio = read_cd_audio(read_file(path))
        else:
            self.tracks = read_cd_audio_names(read_file(path))

    def wave(self, number: int) -> bytes:
        """Return the bytes of an entry, b"" where it is missing."""
        if self.main_sfx is not None:
            return self.main_sfx.pieces[number] if 0 <= number < len(self.main_sfx) else b""
        if self.cd_audio is not None:
            return self.cd_audio.bytes_of(number)
        track = track_file(self.path, self.tracks[number]) if 0 <= number < len(self.tracks) else None
        return b"" if track is None else read_file(track)


# --- Export ----------------------------------------


@dataclass
class SoundFile:
    """The result of an export of a sound file."""

    content: bytes  #: the bytes of the file.
    tracks: dict[str, bytes]  #: changed files of tracks, by name (CDAudio.db).
    report: Report  #: the warnings.
    rebuilt: Rebuilt  #: the number of replaced sounds.
    sounds: list[tuple[Sound, int]]  #: the replaced sounds, each with its number.


def sounds_of_file(path: Path) -> list[Sound]:
    """Return the Blender sounds that belong to a file, sorted by number."""
    in_files = (sound for sound in bpy.data.sounds if sound.tomb_raider.kind in FILE_KINDS)
    sounds = [sound for sound in in_files if is_same_file(sound.tomb_raider.file, path)]
    return sorted(sounds, key=lambda sound: (sound.tomb_raider.number, sound.name))


def known_files() -> list[str]:
    """Return the sound files of sounds and levels of the scene, sorted."""
    paths = {sound.tomb_raider.file for sound in bpy.data.sounds if sound.tomb_raider.kind in FILE_KINDS}
    paths |= {root.tomb_raider.sounds.main_sfx for root in levels()}
    return sorted(each for each in paths if each)


def export_sound_file(source: Path, new: dict[int, tuple[Sound | None, bytes]] | None = None) -> SoundFile:
    """Replace changed sounds of a file in memory; add waves by number, which levels need in MAIN.SFX.

    Raises:
        ExportError: where the game could not play a sound, or two sounds have the same number.
        FormatError: where the file is damaged.
        OSError: where it cannot be read.
    """
    reader = _Reader(source)
    report, rebuilt = Report(), Rebuilt()
    waves = _changed_waves(source, reader, report)
    for number, (sound, wave) in (new or {}).items():
        if number in waves and waves[number][1] != wave:
            problem = T("two sounds would replace it: remove one")
            raise ExportError(T("Entry {number}", number=number), problem)
        waves[number] = (sound, wave)
    titles = {} if reader.main_sfx is not None else _titles(source)
    tracks: dict[str, bytes] = {}
    for number in sorted({*waves, *titles}):
        changed_wave = waves[number][1] if number in waves else None
        if reader.main_sfx is not None:
            reader.main_sfx.replace(number, waves[number][1])
        elif reader.cd_audio is not None:
            title = titles.get(number)
            name = None if title == _title(reader.cd_audio, number) else title
            if changed_wave is not None or name is not None:
                reader.cd_audio.replace(number, changed_wave or reader.cd_audio.bytes_of(number), name)
        else:
            _put_track(reader, number, titles.get(number), changed_wave, tracks)
    container = reader.main_sfx or reader.cd_audio
    content = write_cd_audio_names(reader.tracks) if container is None else container.to_bytes()
    rebuilt.count("sounds", len(waves))
    sounds = [(sound, number) for number, (sound, _) in waves.items() if sound is not None]
    return SoundFile(content, tracks, report, rebuilt, sounds)


def _changed_waves(source: Path, reader: _Reader, report: Report) -> dict[int, tuple[Sound | None, bytes]]:
    result: dict[int, tuple[Sound | None, bytes]] = {}
    for sound in sounds_of_file(source):
        number = sound.tomb_raider.number
        try:
            if sound.tomb_raider.digest == digest(number, bytes_of(sound)):
                continue
        except (FormatError, OSError) as error:
            text = T(
                "it is not packed, and its file cannot be read: it is unchanged ({error})", error=str(error)
            )
            report.warn(sound.name, text)
            continue
        wave = fitting_wave(sound, _form(reader, number))
        if number in result and result[number][1] != wave:
            first = result[number][0]
            assert first is not None
            problem = T(
                "{other} would also replace entry {number}: remove one of them",
                other=first.name,
                number=number,
            )
            raise ExportError(sound.name, problem)
        result[number] = (sound, wave)
    return result


def _form(reader: _Reader, number: int) -> SoundForm:
    """Return the form of an entry, in CDAUDIO.WAD that of the first track; else the usual form."""
    if reader.cd_audio is not None:
        number = next((each for each in reader.cd_audio.tracks), number)
    pieces = reader.main_sfx.pieces if reader.main_sfx is not None else []
    return wave_form(reader.wave(number)) or usual_form(pieces, Game.TR3)


def _title(audio: CdAudio, number: int) -> str:
    """Return the listed title of a track, which has no name in some files."""
    name = audio.name(number) if 0 <= number < CD_AUDIO_TRACKS else ""
    return name or f"Track {number}"


def _titles(source: Path) -> dict[int, str]:
    """Return the present titles of the tracks of a file by number."""
    titles = ((sound.tomb_raider.number, sound.tomb_raider.title) for sound in sounds_of_file(source))
    return {number: title for number, title in titles if title}


def _put_track(
    reader: _Reader, number: int, title: str | None, wave: bytes | None, tracks: dict[str, bytes]
) -> None:
    """Set the name of a track of CDAudio.db, and add its file to ``tracks`` if it changed."""
    if not 0 <= number < len(reader.tracks):
        problem = T("there is no such entry")
        raise ExportError(
            T("Track {number}", number=number), problem, count=number, limit=len(reader.tracks) - 1
        )
    old_name = reader.tracks[number]
    old_file = track_file(reader.path, old_name)
    name = reader.tracks[number] = title or old_name
    if wave is None and old_file is not None and name != old_name:
        wave = read_file(old_file)
    if wave is not None:
        suffix = "" if old_file is None else old_file.suffix
        tracks[name if name.lower().endswith(suffix.lower()) else name + suffix] = wave


def free_number(path: Path) -> int:
    """Return the first number for a new sound of a file.

    Raises:
        ExportError: where it is full.
        FormatError: where it is damaged.
        OSError: where it cannot be read.
    """
    used = {entry.number for entry in list_entries(path)}
    used |= {sound.tomb_raider.number for sound in sounds_of_file(path)}
    kind = kind_of_file(path)
    if kind == "MAIN_SFX":
        return max(used, default=-1) + 1
    free = (number for number in range(CD_AUDIO_TRACKS) if number not in used)
    result = next(free, None) if kind == "CD_AUDIO" else None
    if result is None:
        raise ExportError(path.name, T("it has no free entry"))
    return result


def add_to_file(path: Path, name: str, data: bytes) -> Sound:
    """Make a sound that an export adds to a file, with the number :func:`free_number`.

    Raises:
        ExportError: where the file is full, or the data are no sound.
        FormatError: where the file is damaged.
        OSError: where it cannot be read.
    """
    number = free_number(path)
    wave = fit_wave(data, _form(_Reader(path), number), name)
    sound = make_sound(name, wave)
    sound.use_fake_user = True
    tag = sound.tomb_raider
    tag.kind, tag.number, tag.file, tag.title = kind_of_file(path), number, str(path), name
    return sound


def note_as_written(written: SoundFile, source: Path, target: Path) -> None:
    """Store on sounds that the target file contains them as they are now."""
    for sound in sounds_of_file(source):
        sound.tomb_raider.file = str(target)
    for sound, number in written.sounds:
        note_place(sound, kind_of_file(target), number, str(target))
