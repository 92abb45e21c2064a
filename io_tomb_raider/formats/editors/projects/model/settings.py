"""The settings of a project: all of its data that are not in a room.

Paths are texts with the editor's variables, such as `$(LevelDirectory)`. Colors are (red, green, blue), 1 for
normal. Corners of faces are in pixels of the texture's image, from its upper left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import Chunk
from .objects import Vector

Corner = tuple[float, float]
Corners = tuple[Corner, Corner, Corner, Corner]
NO_CORNERS: Corners = ((0.0, 0.0),) * 4
NO_TEXTURE = -1
TILE = 64  # pixels of a texture's image per element of its footsteps and bumps
STONE = 6  # the footstep of new tiles

# The folders of samples in new projects.
SAMPLE_FOLDERS = ("$(EditorDirectory)\\Sounds\\Samples", "$(GameDirectory)\\audio")
# The folders in which samples of older projects are searched.
OLD_SAMPLE_FOLDERS = (
    *(
        f"{above}{folder}"
        for above in ("", "..\\", "..\\..\\")
        for folder in ("Sounds", "Sound", "Sounds\\Samples", "Sound\\Samples")
    ),
    *(f"$(LevelDirectory)\\{above}Sound\\Samples" for above in ("", "..\\", "..\\..\\")),
    "$(GameDirectory)\\Sound\\Samples",
    "$(EditorDirectory)\\Sounds\\$(SoundEngineVersion)\\Samples",
    "$(EditorDirectory)\\Sounds\\Samples",
)


class GameVersion(IntEnum):
    """The targets of projects."""

    TR1 = 1
    TR2 = 2
    TR3 = 3
    TR4 = 4
    TR5 = 5
    TR1X = 11
    TR2X = 12
    TRNG = 16
    TOMB_ENGINE = 18


def _tiles(content: int) -> NDArray[np.uint8]:
    return np.full((1, 1), content, np.uint8)


@dataclass(eq=False)
class LevelTexture:
    """A texture file of the level."""

    number: int  #: faces refer to it.
    path: str  #: the image.
    #: an image of 512 pixels' width is cut into one of 256: corners of faces count in the result.
    cut_512: bool = False
    magenta: bool = True  #: magenta pixels are transparent.
    #: (h, w) uint8: the material of each 64 x 64 tile.
    footsteps: NDArray[np.uint8] = field(default_factory=lambda: _tiles(STONE))
    #: (h, w) uint8: the bump level of each 64 x 64 tile, 0 to 3.
    bumps: NDArray[np.uint8] = field(default_factory=lambda: _tiles(0))
    bump_path: str = ""  #: an image with the bumps, or "".
    source: Chunk | None = field(default=None, repr=False)  #: the chunk that it was read from.


# Names of materials of models by whether they are additive and double-sided.
MATERIALS = {
    (False, False): "TeOpaque",
    (False, True): "TeOpaqueDoubleSided",
    (True, False): "TeAdditiveBlend",
    (True, True): "TeAdditiveBlendDoubleSided",
}


@dataclass
class ImportedModel:
    """A model file."""

    number: int  #: imported geometry in rooms refers to it.
    name: str
    path: str
    scale: float = 1.0
    position_axes: int = 32  #: 1 swap x and y, 2 x and z, 4 y and z, then 8, 16, 32 flip x, y, z.
    texture_axes: int = 4  #: 4 flips v.
    maps_whole_images: bool = True  #: the texture coordinates of an image are packed together.
    invert_faces: bool = False
    source: Chunk | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class TexturedArea:
    """An area of a texture: the number of the texture (-1: none), and the corners of a face."""

    texture: int = NO_TEXTURE
    corners: Corners = NO_CORNERS


@dataclass(frozen=True)
class AnimationFrame(TexturedArea):
    """A frame of an animated set: its area of a texture, shown `repeat` times."""

    repeat: int = 1


@dataclass
class AnimatedSet:
    """A set of textures that are shown in turn."""

    name: str
    type: int = 0  #: 0 frames, 1 P-frames, 2 UV rotate, 3 river rotate, 4 half rotate, 5 video.
    fps: float = 16.0
    uv_rotate: int = 0  #: -128 to 127.
    frames: list[AnimationFrame] = field(default_factory=list)
    #: direction, speed: of UV rotation in TombEngine; the direction in degrees.
    direction: float = 0.0
    speed: float = 1.0
    source: Chunk | None = field(default=None, repr=False, compare=False)


@dataclass
class MergedStatic:
    """A static mesh that becomes a part of each room it is placed in."""

    slot: int
    shades_are_effects: bool = False
    tint_is_ambient: bool = False
    clear_shades: bool = False
    source: Chunk | None = field(default=None, repr=False, compare=False)


# --- Events of TombEngine ----------------------------------------------------------------------


@dataclass
class Argument:
    """An argument of a node."""

    name: str = ""
    value: str = ""


@dataclass
class EventNode:
    """A node of an event: an action or, with `type` 1, a condition."""

    type: int = 0
    name: str = ""
    size: int = 0
    position: Corner = (0.0, 0.0)
    color: Vector = (1.0, 1.0, 1.0)
    locked: bool = False
    function: str = ""
    arguments: list[Argument] = field(default_factory=list)
    #: the chain of nodes that runs if the condition is false.
    otherwise: list[EventNode] = field(default_factory=list)


@dataclass
class Event:
    """An event of a set."""

    #: 0 volume enter, 1 inside, 2 leave, 3 loop, 4 load, 5 save, 6 level start, 7 level end, 8 use item, 9
    #: freeze.
    type: int = 0
    mode: int = 1  #: 0 a Lua function, 1 nodes.
    function: str = ""
    argument: str = ""
    call_counter: int = 0  #: 0 for always.
    enabled: bool = True
    position: Corner = (0.0, 0.0)
    #: its nodes, chain by chain; each chain runs in order.
    chains: list[list[EventNode]] = field(default_factory=list)


@dataclass
class EventSet:
    """A set of events."""

    number: int  #: volumes refer to it.
    name: str
    last_event: int = 0  #: the event that the editor showed last.
    activators: int = 1  #: of volumes: 1 player, 2 NPCs, 4 other moveables, 8 statics, 16 flybys, 32 physics.
    events: list[Event] = field(default_factory=list)
    source: Chunk | None = field(default=None, repr=False, compare=False)


# --- Settings ----------------------------------------------------------------------------------


@dataclass
class Settings:
    """The settings of a project. Names ending in `_path` and `_directory` are paths."""

    game_version: int = GameVersion.TR4
    textures: list[LevelTexture] = field(default_factory=list)
    wads: list[str] = field(default_factory=list)
    catalogs: list[str] = field(default_factory=list)
    selected_sounds: list[int] = field(default_factory=list)
    imported_geometries: list[ImportedModel] = field(default_factory=list)
    animated_sets: list[AnimatedSet] = field(default_factory=list)
    merged_statics: list[MergedStatic] = field(default_factory=list)
    level_path: str = "$(GameDirectory)\\data\\$(LevelName).tr4"
    game_directory: str = "$(EditorDirectory)\\Game"
    padding: int = 8  # pixels around each packed texture
    default_ambient: Vector = (0.25, 0.25, 0.25)
    default_light_quality: int = 1  # 1 low, 2 medium, 3 high
    override_light_quality: bool = False
    rearrange_rooms: bool = True
    remove_unused_objects: bool = False
    thirty_two_bit_light: bool = False
    dither: bool = True
    remap_animated_textures: bool = True
    aggressive_texture_packing: bool = False
    aggressive_floor_data_packing: bool = False
    texture_compression: bool = False
    trx_texture_depth: int = 0  # 0 default, 1, 2, 3: 8, 16, 32 bits
    custom_sample_rate_enabled: bool = False
    custom_sample_rate: int = 44100
    tr5_lara_type: int = 0
    tr5_weather: int = 0
    quick_start: bool = True
    extra_blending_modes: bool | None = None  # None: by the faces
    extra_reverb_presets: bool = False
    font_path: str = ""
    sky_path: str = ""
    extra_sprites_path: str = ""
    sample_directories: list[str] = field(default_factory=lambda: list(SAMPLE_FOLDERS))
    executable_path: str = "$(GameDirectory)\\Tomb4.exe"
    script_directory: str = "$(ScriptDirectory)"
    lua_script_path: str = "$(ScriptDirectory)\\$(LevelName).lua"
    sound_system: int = 1  # 0: of before August 2019
    last_room: int = 0
    default_texture: TexturedArea = TexturedArea()
    global_event_sets: list[EventSet] = field(default_factory=list)
    volume_event_sets: list[EventSet] = field(default_factory=list)
    palette: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def is_tomb_engine(self) -> bool:
        """Whether the project is for TombEngine."""
        return self.game_version == GameVersion.TOMB_ENGINE
