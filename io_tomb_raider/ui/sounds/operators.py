"""Operators for the sounds of a level: play, replace, add and remove them."""

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator, Sound

from ...formats import Game
from ...formats.base import N_, T, read_file
from ...scene.core import Kind, members_of
from ..base.files.browsing import FileBrowser, browse
from ..base.levels import game_of
from ..base.operators import LevelTool, file_path
from ..base.reports import Outcome, ToolError, report_line, report_result
from ..base.rows import move_row, remove_row
from ..preferences.preferences import game_folder

if TYPE_CHECKING:
    from ...scene.properties import TombRaiderSoundDetails


AUDIO_FILES = "*.wav;*.mp3;*.ogg;*.oga;*.flac;*.aif;*.aiff;*.m4a"
# Full volume of a sound; TR3 has another scale.
_FULL_VOLUME = {game: 0xFF if game.traits.has_sound_range else 0x7FFF for game in Game}

_playing: Any = None  # (name, handle, device): a sound stops when its handle is freed


def _audio() -> Any | None:
    """Return Blender's audio library, or None if Blender was built without it."""
    try:
        return import_module("aud")
    except ImportError:
        return None


class TOMB_RAIDER_OT_play_sound(Operator):
    """Play this sound once, or stop it"""

    bl_idname = "tomb_raider.play_sound"
    bl_label = "Play Sound"

    sound: StringProperty(name="Sound", description="Sound to play", options={"SKIP_SAVE"})

    def execute(self, _context: Context) -> Outcome:
        global _playing
        audio = _audio()
        sound: Any = bpy.data.sounds.get(self.sound)
        if sound is None:
            raise ToolError(T("There is no such sound"))
        name, before, _ = _playing or ("", None, None)
        _playing = None
        if before is not None:
            was_heard = bool(before.status)
            before.stop()
            if name == sound.name and was_heard:
                return {"FINISHED"}
        factory = sound.factory if audio is not None else None
        if audio is None or factory is None:
            raise ToolError(T("Blender has no audio device here"))
        try:
            device = audio.Device()
            _playing = (sound.name, device.play(factory), device)
        except audio.error as error:
            report_line(
                self, "ERROR", T("{sound} cannot be played: {error}", sound=sound.name, error=str(error))
            )
            return {"CANCELLED"}
        return {"FINISHED"}


class TOMB_RAIDER_OT_replace_sound(FileBrowser, Operator):
    """Replace a sound of a level or sound file with your own, in the format of the game"""

    bl_idname = "tomb_raider.replace_sound"
    bl_label = "Replace Sound"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("{file} was not added: {error}")

    filter_glob: StringProperty(default=AUDIO_FILES, options={"HIDDEN"})
    sound: StringProperty(
        name="Sound",
        description="Sound to replace",
        search=lambda _self, _context, text: sorted(
            sound.name for sound in bpy.data.sounds if text.lower() in sound.name.lower()
        ),
        options={"SKIP_SAVE"},
    )

    def execute(self, _context: Context) -> Outcome:
        from ...scene.subjects.sounds import replace_sound

        path = bpy.path.abspath(self.filepath)
        sound: Any = bpy.data.sounds.get(self.sound)
        if sound is None or sound.library is not None:
            raise ToolError(T("There is no sound {name} that can be replaced", name=self.sound))
        replace_sound(sound, read_file(path))
        report_line(self, "INFO", T("{sound} is {file} now", sound=sound.name, file=os.path.basename(path)))
        return {"FINISHED"}


class _SoundTool(LevelTool):
    """Base of operators on the sounds of a level."""

    def level(self, context: Context) -> Collection:
        """Return the level. Raises ToolError also if its sounds were not imported."""
        level = super().level(context)
        if "SOUNDS" not in level.tomb_raider.imported:
            raise ToolError(T("The sounds of {level} were not imported", level=level.name))
        return level


class TOMB_RAIDER_OT_load_samples(_SoundTool, FileBrowser):
    """Load the samples of a level of TR2 or TR3 from MAIN.SFX, to hear and replace them"""

    bl_idname = "tomb_raider.load_samples"
    bl_label = "Choose MAIN.SFX"

    filter_glob: StringProperty(default="*.sfx", options={"HIDDEN"})
    filepath: file_path("MAIN.SFX with the samples")

    def invoke(self, context: Context, _event: Event) -> Any:
        from ...scene.subjects.sounds import find_main_sfx

        level = self.level(context)
        source = level.tomb_raider.sounds.main_sfx or level.tomb_raider.target
        if not self.filepath and source:
            installed = partial(game_folder, context, game_of(level))
            self.filepath = str(find_main_sfx(Path(bpy.path.abspath(source)), installed) or source)
        return browse(self, context)

    def execute(self, context: Context) -> Outcome:
        from ...catalogue import names
        from ...scene.core import Report, original
        from ...scene.subjects.sounds import show_samples

        level, report = self.level(context), Report()
        decoded = original.load(level)
        if decoded is None:
            return {"CANCELLED"}
        path = Path(bpy.path.abspath(self.filepath))
        count = show_samples(level, decoded.level, names(game_of(level)), path, report)
        _show_sources(level)
        if not count and report.warnings:
            raise ToolError(report.warnings[0])
        report_result(self, T("{file}: {made} samples", file=path.name, made=count), report.warnings)
        return {"FINISHED"} if count else {"CANCELLED"}


class TOMB_RAIDER_OT_show_sound_sources(_SoundTool):
    """Update the speakers of the level to the settings of its sounds"""

    bl_idname = "tomb_raider.show_sound_sources"
    bl_label = "Update Speakers"

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        _show_sources(level)
        return {"FINISHED"}


def _show_sources(level: Collection) -> None:
    from ...scene.subjects.sounds import show_source

    for obj in members_of(level, Kind.SOUND_SOURCE):
        show_source(obj, level)


ACTIONS = [
    ("ADD_SOUND", "Add Sound", "Add a sound with the next free number"),
    ("REMOVE_SOUND", "Remove Sound", "Remove the sound, with the samples that only it uses"),
    ("ADD_SAMPLE", "Add Sample", "Add another sample for the sound to choose from"),
    ("REMOVE_SAMPLE", "Remove Sample", "Remove this sample from the sound"),
    ("SAMPLE_UP", "Move Sample Up", "Move the sample up"),
    ("SAMPLE_DOWN", "Move Sample Down", "Move the sample down"),
    ("ADD_NUMBER", "Add Number", "Add another number of this sound in the game"),
    ("REMOVE_NUMBER", "Remove Number", "Remove the last number of this sound"),
]


class TOMB_RAIDER_OT_edit_sounds(_SoundTool):
    """Add, remove or move sounds of a level, their samples and numbers"""

    bl_idname = "tomb_raider.edit_sounds"
    bl_label = "Edit Sounds"

    action: EnumProperty(
        name="Action", items=ACTIONS, description="Change to make to the list", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        return next(text for name, _, text in ACTIONS if name == properties.action)

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        settings = level.tomb_raider.sounds
        if self.action == "ADD_SOUND":
            _add_sound(level)
            return {"FINISHED"}
        if not 0 <= settings.active < len(settings.details):
            raise ToolError(T("Choose a sound first"))
        item = settings.details[settings.active]
        if self.action == "REMOVE_SOUND":
            settings.active = remove_row(settings.details, settings.active)
        elif self.action == "ADD_NUMBER":
            item.ids.add().number = _free_number(level)
        elif self.action == "REMOVE_NUMBER":
            if len(item.ids):
                item.ids.remove(len(item.ids) - 1)
        else:
            _edit_samples(item, self.action)
        return {"FINISHED"}


def _add_sound(level: Collection) -> None:
    from ...scene.subjects.sounds import stores_for_trx

    settings = level.tomb_raider.sounds
    number, for_trx = _free_number(level), stores_for_trx(level)
    item = settings.details.add()
    item.volume = _FULL_VOLUME[game_of(level)]
    item.stored_for_trx = for_trx
    item.ids.add().number = number
    settings.active = len(settings.details) - 1


def _free_number(level: Collection) -> int:
    """Return the first unused number of a sound."""
    used = {slot.number for item in level.tomb_raider.sounds.details for slot in item.ids}
    return next(number for number in range(len(used) + 1) if number not in used)


def _edit_samples(item: "TombRaiderSoundDetails", action: str) -> None:
    index, count = item.active_sample, len(item.samples)
    if action == "ADD_SAMPLE":
        item.samples.add()
        item.active_sample = count
    elif action == "REMOVE_SAMPLE" and 0 <= index < count:
        item.active_sample = remove_row(item.samples, index)
    elif action in ("SAMPLE_UP", "SAMPLE_DOWN"):
        target = move_row(item.samples, index, 1 if action == "SAMPLE_DOWN" else -1)
        if target is not None:
            item.active_sample = target


class TOMB_RAIDER_OT_add_sample_file(FileBrowser, _SoundTool):
    """Add a sound file to the samples of the active sound"""

    bl_idname = "tomb_raider.add_sample_file"
    bl_label = "Add Sample from File"
    failure = N_("{file} was not added: {error}")

    filter_glob: StringProperty(default=AUDIO_FILES, options={"HIDDEN"})

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.sounds import make_sound

        level, path = self.level(context), bpy.path.abspath(self.filepath)
        settings = level.tomb_raider.sounds
        if not 0 <= settings.active < len(settings.details):
            raise ToolError(T("Choose a sound first"))
        sound: Sound = make_sound(Path(path).stem, read_file(path))
        item = settings.details[settings.active]
        item.samples.add().sound = sound
        item.active_sample = len(item.samples) - 1
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_play_sound,
    TOMB_RAIDER_OT_replace_sound,
    TOMB_RAIDER_OT_load_samples,
    TOMB_RAIDER_OT_show_sound_sources,
    TOMB_RAIDER_OT_edit_sounds,
    TOMB_RAIDER_OT_add_sample_file,
)


register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def unregister() -> None:
    global _playing
    _playing = None
    _unregister()
