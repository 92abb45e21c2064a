"""Properties of sounds, samples and sound sources."""

import bpy
from bpy.props import (
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, PropertyGroup

from ...formats import Game
from ...formats.base.units import SECTOR_SIZE
from ...formats.sounds.details import LOOP, LOOP_MODES, NO_PAN, RANDOM_PITCH, RANDOM_VOLUME, most_volume
from ..core.members import level_holding
from .kinds import CONTEXT
from .pointers import pointer_set
from .views.measures import chance, length, percent
from .views.named import by_catalogue
from .views.switches import bit

_LOOP_ITEMS = {
    "ONCE": ("ONCE", "Play Once", "Play it every time that it is asked for", 0),
    "WAIT": ("WAIT", "Wait", "Do not start it again while it plays", 1),
    "RESTART": ("RESTART", "Restart", "Start it again if it plays already", 2),
    "LOOP": ("LOOP", "Loop", "Play it on and on until it is stopped", 3),
    "UNKNOWN": ("UNKNOWN", "Unknown", "A value that the game does not use", 4),
}
_LOOP_MENUS = {game: [_LOOP_ITEMS[mode] for mode in modes] for game, modes in LOOP_MODES.items()}


# --- The groups ----------------------------------------


class TombRaiderSample(PropertyGroup):
    """A sample of the level's list, or of a sound, which plays one of its samples at random."""

    sound: PointerProperty(
        name="Sound",
        type=bpy.types.Sound,
        update=pointer_set,
        description="Sound that is heard. Any of Blender's will do: it is exported in the form of the game",
    )
    sample: IntProperty(
        name="Sample",
        translation_context=CONTEXT,
        default=-1,
        description="Number in the file, -1 if it is new",
    )


class TombRaiderSoundId(PropertyGroup):
    """A number that the game uses for a sound."""

    number: IntProperty(
        name="Number", min=0, max=0x7FFF, description="Number by which the game asks for this sound"
    )
    sound: by_catalogue("number", "sound", "Sound", "Name of this sound in the game")


def _loop_items(group: PropertyGroup, _context: Context | None) -> list[tuple[str, str, str, int]]:
    level = level_holding(group)
    return _LOOP_MENUS[Game[level.tomb_raider.game] if level is not None else Game.TR2]


def _modes(group: PropertyGroup) -> tuple[str, ...]:
    level = level_holding(group)
    return LOOP_MODES[Game[level.tomb_raider.game] if level is not None else Game.TR2]


def _loop(group: "TombRaiderSoundDetails") -> int:
    return _LOOP_ITEMS[_modes(group)[LOOP.of(group.flags)]][3]


def full_volume(group: PropertyGroup) -> float:
    """Return the full scale of the volume and the chance of a sound in its game."""
    level = level_holding(group)
    return most_volume(Game.TR2 if level is None else Game[level.tomb_raider.game])


def _set_loop(group: "TombRaiderSoundDetails", value: int) -> None:
    modes = [_LOOP_ITEMS[mode][3] for mode in _modes(group)]
    if value in modes:
        group.flags = LOOP.put(group.flags, modes.index(value))


class TombRaiderSoundDetails(PropertyGroup):
    """A sound: its playback settings, its samples, and its numbers in the game."""

    index: IntProperty(name="Index", default=-1, description="Place in the imported file, -1 if it is new")
    ids: CollectionProperty(
        name="Numbers", type=TombRaiderSoundId, description="Numbers by which the game asks for this sound"
    )
    volume: IntProperty(
        name="Volume",
        translation_context=CONTEXT,
        min=0,
        max=0xFFFF,
        default=0xFF,
        description="How loud it is. TR1 and TR2: 0 to 32767. TR3 to TR5: 0 to 255",
    )
    chance: IntProperty(
        name="Chance",
        min=0,
        max=0xFFFF,
        description="How often it is heard when asked for. 0 is always, else of 32767, from TR3 on of 255",
    )
    volume_measure: percent("volume", full_volume, "Volume", "How loud it is")
    chance_measure: chance("chance", full_volume, "Chance", "How often it is heard when asked for")
    range: IntProperty(
        name="Range",
        translation_context=CONTEXT,
        min=0,
        max=0xFF,
        default=8,
        description="How far it is heard, in sectors (TR3 to TR5)",
    )
    pitch: IntProperty(
        name="Pitch",
        translation_context=CONTEXT,
        min=-128,
        max=127,
        description="How much faster or slower it is played: 127 is about twice as fast (TR3 to TR5)",
    )
    range_measure: length("range", "Range", "How far it is heard (TR3 to TR5)", SECTOR_SIZE)
    flags: IntProperty(
        name="All Flags", min=0, max=0xFFFF, description="All flags of the sound as one number"
    )
    loop: EnumProperty(
        name="When Asked Again",
        description="What happens when it is asked for while it plays",
        items=_loop_items,
        get=_loop,
        set=_set_loop,
    )
    no_pan: bit("flags", NO_PAN, "No Panning", "It is heard alike from all directions")
    random_pitch: bit("flags", RANDOM_PITCH, "Random Pitch", "Its pitch varies a little every time")
    random_volume: bit("flags", RANDOM_VOLUME, "Random Volume", "Its volume varies a little every time")
    samples: CollectionProperty(
        name="Samples",
        translation_context=CONTEXT,
        type=TombRaiderSample,
        description="Samples, one of which is played by chance",
    )
    active_sample: IntProperty(name="Active Sample", description="Place of the chosen sample")


class TombRaiderSounds(PropertyGroup):
    """The sounds and samples of a level."""

    details: CollectionProperty(
        name="Sounds",
        translation_context=CONTEXT,
        type=TombRaiderSoundDetails,
        description="Sounds of the level",
    )
    active: IntProperty(name="Active Sound", description="Place of the chosen sound")
    samples: CollectionProperty(
        name="Samples",
        translation_context=CONTEXT,
        type=TombRaiderSample,
        description="All samples that the file lists, in its order",
    )
    main_sfx: StringProperty(
        name="MAIN.SFX",
        subtype="FILE_PATH",
        description="File with the samples (TR2, TR3)",
    )
    main_sfx_count: IntProperty(
        name="Sounds in MAIN.SFX", default=-1, description="First number that new samples get"
    )


class TombRaiderSound(PropertyGroup):
    """The origin of a Blender sound in the game's files."""

    kind: EnumProperty(
        name="Kind",
        translation_context=CONTEXT,
        items=[
            ("NONE", "Own", "A sound of the user's", 0),
            ("SAMPLE", "Sample", "A sample that a level holds", 1),
            ("MAIN_SFX", "Sound of MAIN.SFX", "A sound of MAIN.SFX (TR2, TR3)", 2),
            ("CD_AUDIO", "Sound Track", "A sound track of CDAUDIO.WAD (TR3)", 3),
            (
                "TRACK_FILE",
                "Sound Track File",
                "A sound track that CDAudio.db names (TR3 for the Macintosh)",
                4,
            ),
        ],
        description="Where the sound belongs",
    )
    number: IntProperty(name="Number", default=-1, description="Number in its file")
    file: StringProperty(name="File", subtype="FILE_PATH", description="File that it is a part of")
    title: StringProperty(name="Title", description="Name in its file")
    digest: StringProperty(name="Digest", description="Digest of the sound as it was imported")


class TombRaiderSoundSource(PropertyGroup):
    """The emitter of a sound."""

    sound: IntProperty(
        name="Sound Number", min=0, max=0xFFFF, description="Sound that is heard here, by its number"
    )
    name_of_sound: by_catalogue("sound", "sound", "Sound", "Sound that is heard here, by its name")
    flags: IntProperty(
        name="All Flags",
        min=0,
        max=0xFFFF,
        default=0xC0,
        description="All flags of the sound source as one number",
    )
    shown: FloatVectorProperty(
        name="Shown",
        size=4,
        description="Volume, pitch and distances that the speaker has got from its sound",
    )
    when_flipped: bit("flags", 0x40, "When Flipped", "It is heard while the rooms are flipped")
    when_unflipped: bit("flags", 0x80, "When Not Flipped", "It is heard while the rooms are not flipped")


GROUPS = (
    TombRaiderSample,
    TombRaiderSoundId,
    TombRaiderSoundDetails,
    TombRaiderSounds,
    TombRaiderSound,
    TombRaiderSoundSource,
)
