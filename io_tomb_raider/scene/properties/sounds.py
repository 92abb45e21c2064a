"""Properties of sounds, samples and sound sources."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, PropertyGroup

from ...formats import Game
from ...formats.base import SECTOR_SIZE
from ...formats.levels.sounds import (
    LOOP,
    LOOP_MODES,
    NO_PAN,
    RANDOM_PITCH,
    RANDOM_VOLUME,
    TRX_FULL,
    TRX_RANGE,
    most_volume,
    scaled,
)
from ..core.membership import level_holding
from .base.kinds import CONTEXT
from .base.pointers import pointer_set
from .views.measures import chance, length, percent
from .views.named import by_catalogue
from .views.switches import bit

_LOOP_ITEMS = {
    "ONCE": ("ONCE", "Play Once", "Play on every request", 0),
    "WAIT": ("WAIT", "Wait", "Do not restart while it plays", 1),
    "RESTART": ("RESTART", "Restart", "Restart if it is playing", 2),
    "LOOP": ("LOOP", "Loop", "Play in a loop until it is stopped", 3),
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
        description="Sound to play. Exports convert any sound of Blender to the game's format",
    )
    sample: IntProperty(
        name="Sample",
        translation_context=CONTEXT,
        default=-1,
        description="Number in the file, -1 if it is new",
    )


class TombRaiderSoundId(PropertyGroup):
    """A number that the game uses for a sound."""

    number: IntProperty(name="Number", min=0, max=0x7FFF, description="Number of this sound in the game")
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
    """Return the full scale of the volume and the chance of a sound in its game, or in TRX."""
    if getattr(group, "for_trx", False):
        return TRX_FULL
    level = level_holding(group)
    return most_volume(Game.TR2 if level is None else Game[level.tomb_raider.game])


def _set_loop(group: "TombRaiderSoundDetails", value: int) -> None:
    modes = [_LOOP_ITEMS[mode][3] for mode in _modes(group)]
    if value in modes:
        group.flags = LOOP.put(group.flags, modes.index(value))


def _is_for_trx(item: "TombRaiderSoundDetails") -> bool:
    return item.for_trx


def _set_for_trx(item: "TombRaiderSoundDetails", value: bool) -> None:
    """Store a sound for TRX or for the game, with its values on the scale of that."""
    if item.for_trx == value:
        return
    level = level_holding(item)
    most = most_volume(Game.TR2 if level is None else Game[level.tomb_raider.game])
    old, new = (most, TRX_FULL) if value else (TRX_FULL, most)
    item.for_trx = value
    for name in ("volume", "chance"):
        setattr(item, name, scaled(getattr(item, name), old, new))
    if value:
        item.range_units = item.range * SECTOR_SIZE
    else:
        item.range = min(max(round(item.range_units / SECTOR_SIZE), 0), 0xFF)


class TombRaiderSoundDetails(PropertyGroup):
    """A sound: its playback settings, its samples, and its numbers in the game."""

    index: IntProperty(name="Index", default=-1, description="Index in the imported file, -1 if new")
    ids: CollectionProperty(
        name="Numbers", type=TombRaiderSoundId, description="Numbers of this sound in the game"
    )
    for_trx: BoolProperty(
        name="For TRX",
        description="Stored with its samples in the edits of TRX. The original game does not have it",
    )
    stored_for_trx: BoolProperty(
        name="For TRX",
        description="Stored with its samples in the edits of TRX. The original game does not have it",
        get=_is_for_trx,
        set=_set_for_trx,
    )
    volume: IntProperty(
        name="Volume",
        translation_context=CONTEXT,
        min=0,
        max=0xFFFF,
        default=0xFF,
        description="Volume. TR1, TR2 and TRX: 0 to 32767. TR3 to TR5: 0 to 255",
    )
    chance: IntProperty(
        name="Chance",
        min=0,
        max=0xFFFF,
        description="Probability of playing. 0: always. Maximum: 32767, from TR3 on 255, but 32767 for TRX",
    )
    volume_measure: percent("volume", full_volume, "Volume", "Volume of the sound")
    chance_measure: chance("chance", full_volume, "Chance", "Probability of playing on a request")
    range: IntProperty(
        name="Range",
        translation_context=CONTEXT,
        min=0,
        max=0xFF,
        default=8,
        description="Range in sectors (TR3 to TR5)",
    )
    pitch: IntProperty(
        name="Pitch",
        translation_context=CONTEXT,
        min=-128,
        max=127,
        description="Change of speed: 127 is about twice as fast (TR3 to TR5, TRX)",
    )
    range_measure: length("range", "Range", "Range of the sound (TR3 to TR5)", SECTOR_SIZE)
    range_units: IntProperty(
        name="Range",
        translation_context=CONTEXT,
        min=-(1 << 31),
        max=(1 << 31) - 1,
        default=TRX_RANGE,
        description="Range in units of the game (TRX)",
    )
    range_units_measure: length("range_units", "Range", "Range of the sound (TRX)")
    flags: IntProperty(
        name="All Flags", min=0, max=0xFFFF, description="All flags of the sound as one number"
    )
    loop: EnumProperty(
        name="If Already Playing",
        description="Behavior on a request while it plays",
        items=_loop_items,
        get=_loop,
        set=_set_loop,
    )
    no_pan: bit("flags", NO_PAN, "No Panning", "Sounds the same from all directions")
    random_pitch: bit("flags", RANDOM_PITCH, "Random Pitch", "The pitch varies slightly each time")
    random_volume: bit("flags", RANDOM_VOLUME, "Random Volume", "The volume varies slightly each time")
    samples: CollectionProperty(
        name="Samples",
        translation_context=CONTEXT,
        type=TombRaiderSample,
        description="Samples, one of which is played at random",
    )
    active_sample: IntProperty(name="Active Sample", description="Index of the active sample")


class TombRaiderSounds(PropertyGroup):
    """The sounds and samples of a level."""

    details: CollectionProperty(
        name="Sounds",
        translation_context=CONTEXT,
        type=TombRaiderSoundDetails,
        description="Sounds of the level",
    )
    active: IntProperty(name="Active Sound", description="Index of the active sound")
    samples: CollectionProperty(
        name="Samples",
        translation_context=CONTEXT,
        type=TombRaiderSample,
        description="All samples that the file lists, in its order",
    )
    main_sfx: StringProperty(
        name="MAIN.SFX", subtype="FILE_PATH", description="File with the samples (TR2, TR3)"
    )
    main_sfx_count: IntProperty(
        name="Sounds in MAIN.SFX", default=-1, description="First number for new samples"
    )


class TombRaiderSound(PropertyGroup):
    """The origin of a Blender sound in the game's files."""

    kind: EnumProperty(
        name="Kind",
        translation_context=CONTEXT,
        items=[
            ("NONE", "Own", "A sound of your own", 0),
            ("SAMPLE", "Sample", "A sample of a level", 1),
            ("MAIN_SFX", "Sound of MAIN.SFX", "A sound of MAIN.SFX (TR2, TR3)", 2),
            ("CD_AUDIO", "Sound Track", "A sound track of CDAUDIO.WAD (TR3)", 3),
            (
                "TRACK_FILE",
                "Sound Track File",
                "A sound track that CDAudio.db names (TR3 for the Macintosh)",
                4,
            ),
        ],
        description="Origin of the sound",
    )
    number: IntProperty(name="Number", default=-1, description="Number in its file")
    file: StringProperty(name="File", subtype="FILE_PATH", description="File that contains the sound")
    title: StringProperty(name="Title", description="Name in its file")
    digest: StringProperty(name="Digest", description="Digest of the sound as it was imported")


class TombRaiderSoundSource(PropertyGroup):
    """The emitter of a sound."""

    sound: IntProperty(
        name="Sound Number", min=0, max=0xFFFF, description="Number of the sound that plays here"
    )
    name_of_sound: by_catalogue("sound", "sound", "Sound", "Name of the sound that plays here")
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
        description="Volume, pitch and distances that the speaker received from its sound",
    )
    when_flipped: bit("flags", 0x40, "When Flipped", "Heard while the rooms are flipped")
    when_unflipped: bit("flags", 0x80, "When Not Flipped", "Heard while the rooms are not flipped")


GROUPS = (
    TombRaiderSample,
    TombRaiderSoundId,
    TombRaiderSoundDetails,
    TombRaiderSounds,
    TombRaiderSound,
    TombRaiderSoundSource,
)
